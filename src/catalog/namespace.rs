//! Names of databases and collections.

use crate::error::{Code, Error, Result};

/// The longest `database.collection`, in bytes, as in MongoDB.
const NAMESPACE_BYTES_MAX: usize = 255;

/// Names with `system.` that a user may make.
const SYSTEM_COLLECTIONS: &[&str] = &["system.js", "system.users", "system.views", "system.profile"];

/// A database's name and a collection's.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Namespace {
    pub database: String,
    pub collection: String,
}

impl Namespace {
    /// A namespace of checked names.
    ///
    /// # Errors
    /// 73 `InvalidNamespace`, by MongoDB's rules of names.
    pub fn new(database: &str, collection: &str) -> Result<Namespace> {
        let invalid = |message: String| Err(Error::new(Code::InvalidNamespace, message));
        if collection.contains('\0') {
            return invalid("namespaces cannot have embedded null characters".to_string());
        }
        if collection.is_empty() || check_database(database).is_err() {
            return invalid(format!("Invalid namespace specified '{database}.{collection}'"));
        }
        if collection.starts_with('.') {
            return invalid(format!("Collection names cannot start with '.': {collection}"));
        }
        Ok(Namespace { database: database.to_string(), collection: collection.to_string() })
    }

    /// Whether a collection of this name may be made.
    ///
    /// # Errors
    /// 73 `InvalidNamespace`.
    pub fn check_creatable(&self) -> Result<()> {
        let invalid = |message: String| Err(Error::new(Code::InvalidNamespace, message));
        let (database, collection) = (&self.database, &self.collection);
        if database == "$external" {
            return invalid(format!("Invalid namespace: {}", self.full()));
        }
        if collection.contains('$') {
            return invalid(format!("Invalid collection name: {collection}"));
        }
        if collection.starts_with("system.") && !SYSTEM_COLLECTIONS.contains(&collection.as_str()) {
            return invalid(format!("Invalid system namespace: {}", self.full()));
        }
        if self.full().len() > NAMESPACE_BYTES_MAX {
            return invalid(format!(
                "Fully qualified namespace is too long. Namespace: {} Max: {NAMESPACE_BYTES_MAX}",
                self.full()
            ));
        }
        Ok(())
    }

    /// `database.collection`.
    pub fn full(&self) -> String {
        format!("{}.{}", self.database, self.collection)
    }

    /// The catalog's key.
    pub(super) fn key(&self) -> Vec<u8> {
        let mut key = Namespace::database_prefix(&self.database);
        key.extend_from_slice(self.collection.as_bytes());
        key
    }

    pub(super) fn database_prefix(database: &str) -> Vec<u8> {
        let mut key = Vec::with_capacity(database.len() + 2);
        key.push(b'c');
        key.extend_from_slice(database.as_bytes());
        key.push(0);
        key
    }

    pub(super) fn from_key(key: &[u8]) -> Option<Namespace> {
        let (kind, names) = key.split_first()?;
        let middle = names.iter().position(|&byte| byte == 0)?;
        if *kind != b'c' {
            return None;
        }
        Some(Namespace {
            database: std::str::from_utf8(&names[..middle]).ok()?.to_string(),
            collection: std::str::from_utf8(&names[middle + 1..]).ok()?.to_string(),
        })
    }
}

/// Checks a database's name.
///
/// # Errors
/// 73 `InvalidNamespace`.
pub fn check_database(name: &str) -> Result<()> {
    const FORBIDDEN: &[char] = &['/', '\\', '.', ' ', '"', '$', '\0'];
    if name.is_empty() || name.len() > 63 || name.contains(FORBIDDEN) {
        let message = format!("Invalid database name: '{name}'");
        return Err(Error::new(Code::InvalidNamespace, message));
    }
    Ok(())
}
