//! Building BSON bytes: documents and arrays appended to one buffer, nested ones in place.

use super::raw::{RawArray, RawDoc, Str, Type, Value};

/// Builds one document. Names must be free of NUL; the caller has checked names that come from outside.
#[derive(Clone, Debug)]
pub struct DocBuilder {
    bytes: Vec<u8>,
}

impl Default for DocBuilder {
    fn default() -> Self {
        DocBuilder::new()
    }
}

impl DocBuilder {
    /// An empty document.
    pub fn new() -> DocBuilder {
        DocBuilder { bytes: vec![0; 4] }
    }

    /// An empty document with room for `capacity` bytes.
    pub fn with_capacity(capacity: usize) -> DocBuilder {
        let mut bytes = Vec::with_capacity(capacity.max(5));
        bytes.extend_from_slice(&[0; 4]);
        DocBuilder { bytes }
    }

    /// Size so far, in bytes, counting the closing zero.
    pub fn size(&self) -> usize {
        self.bytes.len() + 1
    }

    /// Appends `name: value`.
    pub fn push<'v>(&mut self, name: impl AsRef<[u8]>, value: impl Into<Value<'v>>) -> &mut Self {
        self.append(name.as_ref(), &value.into());
        self
    }

    /// Appends a nested document that `fill` builds in place.
    pub fn document(&mut self, name: impl AsRef<[u8]>, fill: impl FnOnce(&mut DocBuilder)) -> &mut Self {
        let start = self.open(Type::Document, name.as_ref());
        fill(self);
        close(&mut self.bytes, start);
        self
    }

    /// Appends a nested array that `fill` builds in place: its builder owns the whole buffer for that time, so that
    /// nothing is copied.
    pub fn array(&mut self, name: impl AsRef<[u8]>, fill: impl FnOnce(&mut ArrayBuilder)) -> &mut Self {
        let start = self.open(Type::Array, name.as_ref());
        let mut array =
            ArrayBuilder { inner: DocBuilder { bytes: std::mem::take(&mut self.bytes) }, next: 0 };
        fill(&mut array);
        self.bytes = array.inner.bytes;
        close(&mut self.bytes, start);
        self
    }

    /// The finished bytes.
    pub fn finish(mut self) -> Vec<u8> {
        close(&mut self.bytes, 0);
        self.bytes
    }

    fn header(&mut self, kind: Type, name: &[u8]) {
        debug_assert!(!name.contains(&0));
        self.bytes.push(kind as u8);
        self.bytes.extend_from_slice(name);
        self.bytes.push(0);
    }

    // What follows is not generic, so that it is compiled once however many types of values and closures there are.

    fn append(&mut self, name: &[u8], value: &Value<'_>) {
        self.header(value.kind(), name);
        write_value(&mut self.bytes, value);
    }

    /// Begins a nested document or array at the end of the buffer; gives where, for [`close`].
    fn open(&mut self, kind: Type, name: &[u8]) -> usize {
        self.header(kind, name);
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&[0; 4]);
        start
    }
}

fn close(bytes: &mut Vec<u8>, start: usize) {
    bytes.push(0);
    let len = (bytes.len() - start) as i32;
    bytes[start..start + 4].copy_from_slice(&len.to_le_bytes());
}

/// Builds one array; elements get their index as name.
#[derive(Clone, Debug)]
pub struct ArrayBuilder {
    inner: DocBuilder,
    next: usize,
}

impl Default for ArrayBuilder {
    fn default() -> Self {
        ArrayBuilder::new()
    }
}

impl ArrayBuilder {
    /// An empty array.
    pub fn new() -> ArrayBuilder {
        ArrayBuilder { inner: DocBuilder::new(), next: 0 }
    }

    /// The number of elements so far.
    pub fn count(&self) -> usize {
        self.next
    }

    /// Size so far, in bytes.
    pub fn size(&self) -> usize {
        self.inner.size()
    }

    /// Appends a value.
    pub fn push<'v>(&mut self, value: impl Into<Value<'v>>) -> &mut Self {
        let name = self.name();
        self.inner.push(name.as_bytes(), value);
        self
    }

    /// Appends a document built in place.
    pub fn document(&mut self, fill: impl FnOnce(&mut DocBuilder)) -> &mut Self {
        let name = self.name();
        self.inner.document(name.as_bytes(), fill);
        self
    }

    /// Appends an array built in place.
    pub fn array(&mut self, fill: impl FnOnce(&mut ArrayBuilder)) -> &mut Self {
        let name = self.name();
        self.inner.array(name.as_bytes(), fill);
        self
    }

    /// The finished bytes (to be read by [`RawArray::from_validated`]).
    pub fn finish(self) -> Vec<u8> {
        self.inner.finish()
    }

    fn name(&mut self) -> IndexName {
        self.next += 1;
        IndexName::new(self.next - 1)
    }
}

/// The decimal digits of an array index, without an allocation.
struct IndexName {
    digits: [u8; 20],
    start: usize,
}

impl IndexName {
    fn new(mut index: usize) -> IndexName {
        let mut name = IndexName { digits: [b'0'; 20], start: 20 };
        loop {
            name.start -= 1;
            name.digits[name.start] = b'0' + (index % 10) as u8;
            index /= 10;
            if index == 0 {
                return name;
            }
        }
    }

    fn as_bytes(&self) -> &[u8] {
        &self.digits[self.start..]
    }
}

/// Appends the bytes of a value, without type and name.
pub fn write_value(out: &mut Vec<u8>, value: &Value<'_>) {
    match value {
        Value::Double(v) => out.extend_from_slice(&v.to_le_bytes()),
        Value::String(text) | Value::Code(text) | Value::Symbol(text) => write_text(out, *text),
        Value::Document(doc) => out.extend_from_slice(doc.as_bytes()),
        Value::Array(array) => out.extend_from_slice(array.as_document().as_bytes()),
        Value::Binary { subtype, bytes } => {
            out.extend_from_slice(&(bytes.len() as i32).to_le_bytes());
            out.push(*subtype);
            out.extend_from_slice(bytes);
        }
        Value::Undefined | Value::Null | Value::MinKey | Value::MaxKey => {}
        Value::ObjectId(id) => out.extend_from_slice(id),
        Value::Bool(v) => out.push(u8::from(*v)),
        Value::DateTime(v) | Value::Int64(v) => out.extend_from_slice(&v.to_le_bytes()),
        Value::Regex { pattern, options } => {
            out.extend_from_slice(pattern.as_bytes());
            out.push(0);
            out.extend_from_slice(options.as_bytes());
            out.push(0);
        }
        Value::DbPointer { namespace, id } => {
            write_text(out, *namespace);
            out.extend_from_slice(id);
        }
        Value::CodeWithScope { code, scope } => {
            let len = 4 + 4 + code.len() + 1 + scope.size();
            out.extend_from_slice(&(len as i32).to_le_bytes());
            write_text(out, *code);
            out.extend_from_slice(scope.as_bytes());
        }
        Value::Int32(v) => out.extend_from_slice(&v.to_le_bytes()),
        Value::Timestamp(v) => out.extend_from_slice(&v.to_le_bytes()),
        Value::Decimal128(v) => out.extend_from_slice(v),
    }
}

fn write_text(out: &mut Vec<u8>, text: Str<'_>) {
    out.extend_from_slice(&(text.len() as i32 + 1).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
    out.push(0);
}

impl From<f64> for Value<'_> {
    fn from(v: f64) -> Self {
        Value::Double(v)
    }
}
impl From<i32> for Value<'_> {
    fn from(v: i32) -> Self {
        Value::Int32(v)
    }
}
impl From<i64> for Value<'_> {
    fn from(v: i64) -> Self {
        Value::Int64(v)
    }
}
impl From<bool> for Value<'_> {
    fn from(v: bool) -> Self {
        Value::Bool(v)
    }
}
impl<'a> From<&'a str> for Value<'a> {
    fn from(v: &'a str) -> Self {
        Value::String(Str::from(v))
    }
}
impl<'a> From<Str<'a>> for Value<'a> {
    fn from(v: Str<'a>) -> Self {
        Value::String(v)
    }
}
impl<'a> From<RawDoc<'a>> for Value<'a> {
    fn from(v: RawDoc<'a>) -> Self {
        Value::Document(v)
    }
}
impl<'a> From<RawArray<'a>> for Value<'a> {
    fn from(v: RawArray<'a>) -> Self {
        Value::Array(v)
    }
}
impl AsRef<[u8]> for Str<'_> {
    fn as_ref(&self) -> &[u8] {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_what_it_reads() {
        let mut doc = DocBuilder::new();
        doc.push("a", 1)
            .document("d", |d| {
                d.push("x", "text").array("list", |a| {
                    a.push(1.5).document(|e| {
                        e.push("deep", true);
                    });
                });
            })
            .push("z", Value::Null);
        let bytes = doc.finish();
        let doc = RawDoc::from_validated(&bytes);
        assert_eq!(bytes.len() as i32, i32::from_le_bytes(bytes[..4].try_into().unwrap()));
        let inner = doc.get("d").and_then(|v| v.as_document()).unwrap();
        assert_eq!(inner.get("x").and_then(|v| v.as_str()), Some("text"));
        let list = inner.get("list").and_then(|v| v.as_array()).unwrap();
        assert!(matches!(list.get(0), Some(Value::Double(v)) if v == 1.5));
        assert!(matches!(
            list.get(1).and_then(|v| v.as_document()).and_then(|d| d.get("deep")),
            Some(Value::Bool(true))
        ));
        assert!(matches!(doc.get("z"), Some(Value::Null)));
        assert!(doc.get("missing").is_none());
    }
}
