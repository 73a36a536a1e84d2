//! Is the server who it says? libpq's rules on top of webpki's: nothing is asked, a trusted chain, or the host's name, too.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms};
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, ServerName, UnixTime};
use rustls::{CertificateError, DigitallySignedStruct, RootCertStore, SignatureScheme};

use super::certificate;
use crate::error::{Error, Result};

/// Whom to trust.
pub struct Trust {
    pub certificates: Vec<CertificateDer<'static>>,
    /// Revocation lists; none: revocation is not looked at.
    pub revoked: Vec<CertificateRevocationListDer<'static>>,
}

#[derive(Debug)]
pub struct Verifier {
    /// None: any certificate will do.
    chain: Option<Arc<WebPkiServerVerifier>>,
    trusted: Vec<CertificateDer<'static>>,
    name_checked: bool,
    algorithms: WebPkiSupportedAlgorithms,
}

impl Verifier {
    pub fn new(provider: &Arc<CryptoProvider>, trust: Option<Trust>, name_checked: bool) -> Result<Self> {
        let algorithms = provider.signature_verification_algorithms;
        let Some(Trust { certificates, revoked }) = trust else {
            return Ok(Self { chain: None, trusted: Vec::new(), name_checked, algorithms });
        };
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(certificates.iter().cloned());
        let chain = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone())
            .with_crls(revoked)
            .build()
            .map_err(|error| {
                Error::failed(format!("the root certificates cannot be used: {error}"))
                    .hint("sslrootcert and sslcrl have to be PEM files of certificates and of revocation lists")
            })?;
        Ok(Self { chain: Some(chain), trusted: certificates, name_checked, algorithms })
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        use CertificateError::{NotValidForName, NotValidForNameContext};
        if let Some(chain) = &self.chain {
            match chain.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
                // the last that it looks at, and by stricter rules than libpq's
                Ok(_) | Err(rustls::Error::InvalidCertificate(NotValidForName | NotValidForNameContext { .. })) => {}
                // a self-signed one that is trusted itself, as `openssl req -x509` makes it, is no server's to webpki
                Err(error) if !self.trusted.iter().any(|root| root == end_entity) => return Err(error),
                Err(_) if certificate::is_in_time(end_entity, now.as_secs()) => {}
                Err(_) => return Err(CertificateError::Expired.into()),
            }
        }
        if self.name_checked && !certificate::is_of(end_entity, &server_name.to_str()) {
            return Err(NotValidForName.into());
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        self.verify(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        self.verify(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

impl Verifier {
    /// Does the server hold the certificate's key? webpki's own check takes no certificates of X.509 version 1, which
    /// `openssl x509 -req` made until version 3.2; it is the key alone that matters here.
    fn verify(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        let (algorithm, key) = certificate::public_key(cert).ok_or(CertificateError::BadEncoding)?;
        let possible = self.algorithms.mapping.iter().filter(|(scheme, _)| *scheme == dss.scheme);
        let mut fitting =
            possible.flat_map(|(_, all)| *all).filter(|one| one.public_key_alg_id().as_ref() == algorithm);
        match fitting.any(|one| one.verify_signature(&key, message, dss.signature()).is_ok()) {
            true => Ok(HandshakeSignatureValid::assertion()),
            false => Err(CertificateError::BadSignature.into()),
        }
    }
}
