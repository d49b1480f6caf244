//! Which variables of the environment hold keys to a store. There is no other way to give one.

use model_matrix::Secrets;
use secrecy::SecretString;
use serde_json::Value;

/// The makers' variables all begin so.
const MAKERS: [&str; 3] = ["AWS_", "AZURE_", "GOOGLE_"];
/// A variable of theirs with one of these in its name holds a key,
const TELLING: [&str; 4] = ["KEY", "SECRET", "TOKEN", "SAS"];
/// unless it says where one is to be found, or which one is meant.
const PLACES: [&str; 5] = ["_FILE", "_URI", "_URL", "_ENDPOINT", "KMS_KEY_ID"];

/// The values in `variables` that give access to a store, to be masked wherever they turn up.
#[must_use]
pub fn secrets(variables: impl Iterator<Item = (String, String)>) -> Secrets {
    let mut secrets = Secrets::default();
    for (name, value) in variables.filter(|(name, value)| is_key(name) && !value.is_empty()) {
        for (part, value) in parts(&value) {
            let name = part.map_or_else(|| name.clone(), |part| format!("{name}.{part}"));
            secrets.add(&name, &SecretString::from(value));
        }
    }
    secrets
}

fn is_key(name: &str) -> bool {
    MAKERS.iter().any(|maker| name.starts_with(maker))
        && TELLING.iter().any(|word| name.contains(word))
        && !PLACES.iter().any(|end| name.ends_with(end))
}

/// A value, and the parts of it that are keys themselves: the signature of an Azure SAS, the private key of a service
/// account.
fn parts(value: &str) -> Vec<(Option<&'static str>, String)> {
    let mut parts = vec![(None, value.to_owned())];
    let signature = value.trim_start_matches('?').split('&').find_map(|pair| pair.strip_prefix("sig="));
    if let Some(signature) = signature {
        parts.push((Some("sig"), signature.to_owned()));
        let plain = signature.replace("%2B", "+").replace("%2F", "/").replace("%3D", "=");
        parts.push((Some("signature"), plain));
    }
    if let Ok(account) = serde_json::from_str::<Value>(value)
        && let Some(key) = account["private_key"].as_str()
    {
        parts.push((Some("private_key"), key.to_owned()));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Secrets {
        secrets(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
    }

    #[test]
    fn keys_are_masked_and_what_only_leads_to_one_is_not() {
        let secrets = of(&[
            ("AWS_ACCESS_KEY_ID", "FAKEID123456"),
            ("AWS_SECRET_ACCESS_KEY", "fake/secret+1"),
            ("AWS_WEB_IDENTITY_TOKEN_FILE", "/var/run/token-file"),
            ("AWS_REGION", "eu-test-1"),
            ("AWS_ENDPOINT_URL", "http://192.0.2.1:9000"),
            ("OTHER_SECRET", "other-secret"),
        ]);
        assert_eq!(
            secrets.mask(
                "FAKEID123456 fake/secret+1 /var/run/token-file eu-test-1 http://192.0.2.1:9000 other-secret"
            ),
            "[secret AWS_ACCESS_KEY_ID] [secret AWS_SECRET_ACCESS_KEY] /var/run/token-file eu-test-1 \
             http://192.0.2.1:9000 other-secret"
        );
    }

    #[test]
    fn the_key_within_a_value_is_masked_by_itself() {
        let secrets = of(&[
            ("AZURE_STORAGE_SAS_TOKEN", "?sv=2024&sig=fake%2Fsig%2Bnature%3D&se=1"),
            (
                "GOOGLE_SERVICE_ACCOUNT_KEY",
                r#"{"private_key":"fake-line-1\nfake-line-2","client_email":"a@example.test"}"#,
            ),
        ]);
        for text in ["sig=fake%2Fsig%2Bnature%3D", "fake/sig+nature=", "key fake-line-1\nfake-line-2"] {
            assert!(secrets.mask(text).contains("[secret "), "{text}");
        }
        assert_eq!(secrets.mask("a@example.test"), "a@example.test");
    }
}
