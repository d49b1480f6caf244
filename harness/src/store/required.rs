//! Without any credentials a store is not asked. The library would look for the role of the machine it runs on, at an
//! address that answers nowhere else, and be silent for minutes.

use super::StoreError;
use super::place::{Place, Scheme};

/// The variables of which one must be set.
const S3: [&str; 6] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_METADATA_ENDPOINT",
    "AWS_SKIP_SIGNATURE",
];
const GOOGLE: [&str; 6] = [
    "GOOGLE_SERVICE_ACCOUNT",
    "GOOGLE_SERVICE_ACCOUNT_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_BEARER_TOKEN",
    "GCE_METADATA_HOST",
    "GOOGLE_SKIP_SIGNATURE",
];
const AZURE: [&str; 10] = [
    "AZURE_STORAGE_ACCOUNT_KEY",
    "AZURE_STORAGE_ACCESS_KEY",
    "AZURE_STORAGE_SAS_KEY",
    "AZURE_STORAGE_SAS_TOKEN",
    "AZURE_STORAGE_TOKEN",
    "AZURE_STORAGE_CLIENT_SECRET",
    "AZURE_CLIENT_SECRET",
    "AZURE_FEDERATED_TOKEN_FILE",
    "AZURE_MSI_ENDPOINT",
    "AZURE_SKIP_SIGNATURE",
];

/// Refuses to ask a store without credentials; `is_set` looks a variable up.
pub(super) fn check(place: &Place, is_set: impl Fn(&str) -> bool) -> Result<(), StoreError> {
    let (variables, wanted): (&[&str], _) = match place.scheme {
        Scheme::S3 => (
            &S3,
            "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN",
        ),
        Scheme::Google => {
            (&GOOGLE, "GOOGLE_APPLICATION_CREDENTIALS, GOOGLE_SERVICE_ACCOUNT_KEY or GOOGLE_BEARER_TOKEN")
        }
        Scheme::Azure => (
            &AZURE,
            "AZURE_STORAGE_ACCOUNT_NAME, and AZURE_STORAGE_ACCOUNT_KEY, AZURE_STORAGE_SAS_TOKEN or \
             AZURE_FEDERATED_TOKEN_FILE",
        ),
        Scheme::Folder => return Ok(()),
    };
    if variables.iter().any(|name| is_set(name)) {
        return Ok(());
    }
    Err(StoreError::Credentials { place: place.to_string(), wanted })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_not_asked_without_credentials() {
        let place = "s3://bucket/x".parse().unwrap();
        let error = check(&place, |_| false).unwrap_err().to_string();
        assert!(error.contains("AWS_ACCESS_KEY_ID"), "{error}");
        check(&place, |name| name == "AWS_ACCESS_KEY_ID").unwrap();
        check(&"file:///x".parse().unwrap(), |_| false).unwrap();
    }
}
