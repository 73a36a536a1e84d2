//! TLS as libpq does it: what its ssl… parameters ask for, as a configuration of rustls.
//!
//! Counterpart: initialize_SSL in src/interfaces/libpq/fe-secure-openssl.c.

mod certificate;
mod verifier;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustls::client::Resumption;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, SupportedProtocolVersion};

use crate::error::{Error, Result};
use verifier::{Trust, Verifier};

pub use certificate::end_point;

/// libpq's sslmode, from the one that asks least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    Disable,
    Allow,
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

/// Whom to trust.
#[derive(Clone, Debug)]
pub enum Roots {
    /// The certificates of this file; below verify-ca nobody is asked for any where it is not there.
    File(PathBuf),
    /// The system's.
    System,
}

/// What is asked of TLS.
#[derive(Clone, Debug)]
pub struct Tls {
    pub mode: Mode,
    /// sslnegotiation=direct: without asking the server first.
    pub direct: bool,
    pub roots: Option<Roots>,
    /// The client's certificate and key; none where the file is not there.
    pub certificate: Option<PathBuf>,
    pub key: Option<PathBuf>,
    pub revoked: Option<PathBuf>,
    pub versions: Vec<&'static SupportedProtocolVersion>,
    /// Tell the server's name in the clear, so that a proxy can choose by it.
    pub name_shown: bool,
    prepared: Arc<OnceLock<Arc<ClientConfig>>>,
}

impl Tls {
    pub fn new(mode: Mode) -> Self {
        Self {
            mode,
            direct: false,
            roots: None,
            certificate: None,
            key: None,
            revoked: None,
            versions: rustls::ALL_VERSIONS.to_vec(),
            name_shown: true,
            prepared: Arc::default(),
        }
    }

    /// For rustls; the files are read once.
    pub fn client(&self) -> Result<Arc<ClientConfig>> {
        if let Some(prepared) = self.prepared.get() {
            return Ok(prepared.clone());
        }
        let made = Arc::new(self.make()?);
        Ok(self.prepared.get_or_init(|| made).clone())
    }

    fn make(&self) -> Result<ClientConfig> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = Verifier::new(&provider, self.trust()?, self.mode == Mode::VerifyFull)?;
        let builder = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&self.versions)
            .map_err(|error| Error::failed(format!("TLS: {error}")))?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier));
        let mut config = match self.identity()? {
            None => builder.with_no_client_auth(),
            Some((chain, key)) => builder.with_client_auth_cert(chain, key).map_err(|error| {
                Error::failed(format!("the client's certificate and key do not work: {error}"))
                    .hint("sslcert and sslkey have to belong to each other")
            })?,
        };
        config.alpn_protocols = vec![ALPN.to_vec()];
        config.enable_sni = self.name_shown;
        // every connection makes itself known anew, as libpq's do
        config.resumption = Resumption::disabled();
        Ok(config)
    }

    /// None: any certificate will do.
    fn trust(&self) -> Result<Option<Trust>> {
        let certificates = match &self.roots {
            Some(Roots::System) => {
                let found = rustls_native_certs::load_native_certs();
                if found.certs.is_empty() {
                    let why = found.errors.first().map(|error| format!(": {error}")).unwrap_or_default();
                    return Err(Error::failed(format!("the system has no root certificates{why}"))
                        .hint("install ca-certificates, or name a file with sslrootcert"));
                }
                found.certs
            }
            Some(Roots::File(path)) if path.exists() => certificates(path)?,
            _ if self.mode < Mode::VerifyCa => return Ok(None),
            Some(Roots::File(path)) => {
                return Err(Error::failed(format!("root certificate file \"{}\" does not exist", path.display()))
                    .hint("name one with sslrootcert, sslrootcert=system for the system's, or use sslmode=require"));
            }
            None => {
                return Err(Error::failed("there is no root certificate to verify the server's by")
                    .hint("name a file with sslrootcert, or use sslmode=require"));
            }
        };
        let revoked = match self.revoked.as_deref().filter(|path| path.exists()) {
            None => Vec::new(),
            Some(path) => CertificateRevocationListDer::pem_file_iter(path)
                .and_then(|lists| lists.collect::<std::result::Result<Vec<_>, _>>())
                .map_err(|error| unreadable("certificate revocation list", path, error))?,
        };
        Ok(Some(Trust { certificates, revoked }))
    }

    fn identity(&self) -> Result<Option<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)>> {
        let Some(path) = self.certificate.as_deref().filter(|path| path.exists()) else { return Ok(None) };
        let chain = certificates(path)?;
        let Some(key) = self.key.as_deref().filter(|path| path.exists()) else {
            let shown = self.key.as_deref().unwrap_or(Path::new("")).display().to_string();
            return Err(Error::failed(format!("certificate present, but not private key file \"{shown}\""))
                .hint("name the key with sslkey, or leave out the certificate"));
        };
        check_key(key)?;
        let text = std::fs::read(key).map_err(|error| unreadable("private key file", key, error))?;
        if text.windows(9).any(|part| part == b"ENCRYPTED") {
            return Err(Error::failed(format!("private key file \"{}\" is encrypted", key.display()))
                .hint("sps cannot decrypt it: openssl pkey -in KEY -out PLAIN writes one that it can read"));
        }
        let key = PrivateKeyDer::from_pem_slice(&text).map_err(|error| unreadable("private key file", key, error))?;
        Ok(Some((chain, key)))
    }
}

/// PostgreSQL's name in TLS; servers before 17 do not ask for it.
pub const ALPN: &[u8] = b"postgresql";

/// How rustls is told of the server at `host`, a name or an address.
pub fn server_name(host: &str) -> Result<ServerName<'static>> {
    ServerName::try_from(host.to_owned()).map_err(|_| {
        Error::failed(format!("\"{host}\" is no name that a TLS certificate can have"))
            .hint("name the host as its certificate does (with hostaddr beside it where it does not resolve)")
    })
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let read = CertificateDer::pem_file_iter(path).and_then(|found| found.collect::<std::result::Result<Vec<_>, _>>());
    let found = read.map_err(|error| unreadable("certificate file", path, error))?;
    if found.is_empty() {
        return Err(unreadable("certificate file", path, "there is no certificate in it"));
    }
    Ok(found)
}

fn unreadable(what: &str, path: &Path, why: impl std::fmt::Display) -> Error {
    Error::failed(format!("could not read {what} \"{}\": {why}", path.display()))
        .hint("it has to be a PEM file that this user can read")
}

/// As libpq: only its owner may read it, or root's group where root owns it.
fn check_key(path: &Path) -> Result<()> {
    use std::os::unix::fs::MetadataExt;
    let found = std::fs::metadata(path).map_err(|error| unreadable("private key file", path, error))?;
    let open = if found.uid() == 0 { 0o037 } else { 0o077 };
    if !found.is_file() {
        return Err(unreadable("private key file", path, "it is not a plain file"));
    }
    if found.mode() & open != 0 {
        let path = path.display();
        return Err(Error::failed(format!("private key file \"{path}\" has group or world access"))
            .hint(format!("chmod 0600 {path}")));
    }
    Ok(())
}
