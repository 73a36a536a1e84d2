//! What rustls does not tell of a certificate.

use std::net::IpAddr;
use std::str::FromStr;

use sha2::{Digest, Sha256, Sha384, Sha512};
use x509_cert::Certificate;
use x509_cert::der::asn1::ObjectIdentifier;
use x509_cert::der::{Decode, Encode};
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;

/// sha384WithRSAEncryption, sha512WithRSAEncryption, ecdsa-with-SHA384, ecdsa-with-SHA512 (RFC 4055, RFC 5758).
const SHA384: [&str; 2] = ["1.2.840.113549.1.1.12", "1.2.840.10045.4.3.3"];
const SHA512: [&str; 2] = ["1.2.840.113549.1.1.13", "1.2.840.10045.4.3.4"];
/// sha256WithRSAEncryption, ecdsa-with-SHA256; and what RFC 5929 has SHA-256 stand in for: MD5 and SHA-1 with RSA,
/// ecdsa-with-SHA1.
const SHA256: [&str; 5] = [
    "1.2.840.113549.1.1.11",
    "1.2.840.10045.4.3.2",
    "1.2.840.113549.1.1.4",
    "1.2.840.113549.1.1.5",
    "1.2.840.10045.4.1",
];

/// tls-server-end-point of RFC 5929: the certificate's hash by the algorithm of its signature. None where that has no
/// hash of its own (Ed25519), or one that is not known here: such a certificate cannot be bound to.
pub fn end_point(der: &[u8]) -> Option<Vec<u8>> {
    let oid = Certificate::from_der(der).ok()?.signature_algorithm().oid.to_string();
    let oid = oid.as_str();
    if SHA256.contains(&oid) {
        Some(Sha256::digest(der).to_vec())
    } else if SHA384.contains(&oid) {
        Some(Sha384::digest(der).to_vec())
    } else if SHA512.contains(&oid) {
        Some(Sha512::digest(der).to_vec())
    } else {
        None
    }
}

/// The public key: its algorithm as DER without the outer tag and length, and its bits.
pub fn public_key(der: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let certificate = Certificate::from_der(der).ok()?;
    let info = certificate.tbs_certificate().subject_public_key_info();
    let mut algorithm = info.algorithm.oid.to_der().ok()?;
    if let Some(parameters) = &info.algorithm.parameters {
        algorithm.extend(parameters.to_der().ok()?);
    }
    Some((algorithm, info.subject_public_key.raw_bytes().to_vec()))
}

/// Is it valid at `seconds` after 1970?
pub fn is_in_time(der: &[u8], seconds: u64) -> bool {
    let Ok(certificate) = Certificate::from_der(der) else { return false };
    let validity = certificate.tbs_certificate().validity();
    let at = |time: x509_cert::time::Time| time.to_unix_duration().as_secs();
    (at(validity.not_before)..=at(validity.not_after)).contains(&seconds)
}

/// Is it `host`'s? By its alternative names of that kind, and by its common name where it has none: as
/// pq_verify_peer_name_matches_certificate in libpq's fe-secure-common.c.
pub fn is_of(der: &[u8], host: &str) -> bool {
    let Ok(certificate) = Certificate::from_der(der) else { return false };
    let tbs = certificate.tbs_certificate();
    let address = IpAddr::from_str(host).ok();
    let names = tbs.get_extension::<SubjectAltName>().ok().flatten().map(|(_, names)| names.0).unwrap_or_default();
    let mut of_kind = false;
    for name in names {
        match (&name, address) {
            (GeneralName::DnsName(name), _) => {
                of_kind |= address.is_none();
                if fits(name.as_str(), host) {
                    return true;
                }
            }
            (GeneralName::IpAddress(bytes), Some(address)) => {
                of_kind = true;
                let same = match address {
                    IpAddr::V4(address) => bytes.as_bytes() == address.octets(),
                    IpAddr::V6(address) => bytes.as_bytes() == address.octets(),
                };
                if same {
                    return true;
                }
            }
            _ => {}
        }
    }
    !of_kind && common_name(&certificate).is_some_and(|name| fits(&name, host))
}

fn common_name(certificate: &Certificate) -> Option<String> {
    const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");
    let subject = certificate.tbs_certificate().subject();
    let name = subject.iter().find(|part| part.oid == COMMON_NAME)?;
    String::from_utf8(name.value.value().to_vec()).ok()
}

/// `*.` stands for one label.
fn fits(pattern: &str, host: &str) -> bool {
    if pattern.contains('\0') {
        return false;
    }
    match pattern.strip_prefix("*.") {
        None => pattern.eq_ignore_ascii_case(host),
        Some(rest) => host
            .split_once('.')
            .is_some_and(|(label, tail)| !label.is_empty() && !rest.is_empty() && rest.eq_ignore_ascii_case(tail)),
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_stands_for_one_label_and_case_does_not_matter() {
        assert!(fits("db.Example", "DB.example"));
        assert!(fits("*.example", "db.example"));
        assert!(!fits("*.example", "a.db.example"));
        assert!(!fits("*.example", ".example"));
        assert!(!fits("*.example", "example"));
        assert!(!fits("*", "example"));
        assert!(!fits("d*.example", "db.example"));
    }
}
