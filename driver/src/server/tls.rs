//! The parameters that ask for TLS.

use std::path::PathBuf;

use rustls::SupportedProtocolVersion;
use rustls::version::{TLS12, TLS13};

use crate::error::{Error, Result};
use crate::server::parameter::Parameters;
use crate::wire::tls::{Mode, Roots, Tls};

impl Parameters {
    pub(super) fn tls(&self) -> Result<Tls> {
        let system = self.get("sslrootcert") == Some("system");
        let default = if system { "verify-full" } else { "prefer" };
        let name = self.get("sslmode").unwrap_or(default);
        let mode =
            MODES.iter().find(|(known, _)| *known == name).map(|(_, mode)| *mode).ok_or_else(|| {
                self.bad("sslmode", name, "disable, allow, prefer, require, verify-ca or verify-full")
            })?;
        let direct = self.choice("sslnegotiation", "postgres", &["postgres", "direct"])? == "direct";
        let weak = |with: &str, instead: &str| {
            Error::usage(format!("weak sslmode \"{name}\" may not be used with {with}"))
                .hint(format!("use sslmode={instead}"))
        };
        if system && mode != Mode::VerifyFull {
            return Err(weak("sslrootcert=system", "verify-full"));
        }
        if direct && mode < Mode::Require {
            return Err(weak("sslnegotiation=direct", "require, verify-ca or verify-full"));
        }
        let mut tls = Tls::new(mode);
        tls.direct = direct;
        tls.roots = match system {
            true => Some(Roots::System),
            false => self.file("sslrootcert", "root.crt").map(Roots::File),
        };
        tls.revoked = self.file("sslcrl", "root.crl");
        if self.choice("sslcertmode", "allow", &["allow", "disable"])? == "allow" {
            tls.certificate = self.file("sslcert", "postgresql.crt");
            tls.key = self.file("sslkey", "postgresql.key");
        }
        tls.name_shown = self.choice("sslsni", "1", &["0", "1"])? == "1";
        tls.versions = self.versions()?;
        Ok(tls)
    }

    fn versions(&self) -> Result<Vec<&'static SupportedProtocolVersion>> {
        let at = |name: &str, default: &'static str| -> Result<usize> {
            let wanted = self.choice(name, default, &VERSIONS)?;
            Ok(VERSIONS.iter().position(|version| *version == wanted).unwrap_or_default())
        };
        let (least, most) = (at("ssl_min_protocol_version", "TLSv1.2")?, at("ssl_max_protocol_version", "TLSv1.3")?);
        let all = [(2, &TLS12), (3, &TLS13)];
        let found: Vec<_> = all.into_iter().filter(|(at, _)| (least..=most).contains(at)).map(|(_, it)| it).collect();
        if found.is_empty() {
            return Err(Error::usage(format!("no version of TLS from {} to {}", VERSIONS[least], VERSIONS[most]))
                .hint("sps speaks TLSv1.2 and TLSv1.3: see ssl_min_protocol_version and ssl_max_protocol_version"));
        }
        Ok(found)
    }

    /// A file that a parameter names, else libpq's own in the user's folder.
    fn file(&self, name: &str, default: &str) -> Option<PathBuf> {
        match self.get(name) {
            Some(path) => Some(path.into()),
            None => std::env::home_dir().map(|home| home.join(".postgresql").join(default)),
        }
    }
}

const MODES: [(&str, Mode); 6] = [
    ("disable", Mode::Disable),
    ("allow", Mode::Allow),
    ("prefer", Mode::Prefer),
    ("require", Mode::Require),
    ("verify-ca", Mode::VerifyCa),
    ("verify-full", Mode::VerifyFull),
];

/// The last two are those that rustls speaks.
const VERSIONS: [&str; 4] = ["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"];

/// sslmode's value for `mode`.
pub fn mode_name(mode: Mode) -> &'static str {
    MODES.iter().find(|(_, known)| *known == mode).map_or("prefer", |(name, _)| name)
}
