//! The meta record: where a database stands at its last checkpoint.
//!
//! Layout: magic `PDBm`, format version, then in order: database id, checkpoint number K, catalog tree and root, next
//! ids, writers, the number up to which writers were forgotten, encryption parameters, checksum. It is written by
//! checkpoints only, twice (keys `META` and `META_COPY`), and read once when a database is opened.

use super::codec::{Reader, Unreadable, Writer};
use super::page::FORMAT_VERSION;
use super::{CommitNumber, PageId, TreeId};

const MAGIC: [u8; 4] = *b"PDBm";

/// How many writers are remembered.
pub const WRITERS_MAX: usize = 64;

/// The random id of a database: it changes when the data was cleared and made anew.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DatabaseId(pub [u8; 16]);

/// Names an attempt to commit: the engine's random id and its count of attempts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Nonce {
    pub writer: u64,
    pub sequence: u64,
}

/// The last landed attempt of a writer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WriterEntry {
    pub nonce: Nonce,
    pub commit: CommitNumber,
}

/// What every commit record and the meta record carry of the whole database's state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Roots {
    /// The catalog's tree; its root keeps its id for ever. `None` until the first collection is made.
    pub catalog: Option<(TreeId, PageId)>,
    pub next_page: PageId,
    pub next_tree: TreeId,
    /// The next record id, one count for all collections: ids are never given again, not even after a deletion.
    pub next_record: u64,
}

/// The meta record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Meta {
    pub database: DatabaseId,
    /// K: every page as of this commit is in `pages`, or newer records bring it forward.
    pub checkpoint: CommitNumber,
    pub roots: Roots,
    /// Oldest first, at most [`WRITERS_MAX`].
    pub writers: Vec<WriterEntry>,
    /// Writers whose last commit is at or below this number may have been forgotten.
    pub evicted_through: CommitNumber,
    /// Parameters of encryption at rest; empty where the database is not encrypted.
    pub encryption: Vec<u8>,
}

impl Meta {
    /// The meta record of an empty database.
    pub fn first(database: DatabaseId) -> Meta {
        Meta {
            database,
            checkpoint: CommitNumber(0),
            roots: Roots { catalog: None, next_page: PageId(1), next_tree: TreeId(1), next_record: 1 },
            writers: Vec::new(),
            evicted_through: CommitNumber(0),
            encryption: Vec::new(),
        }
    }

    /// The stored form.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::with_magic(MAGIC, FORMAT_VERSION);
        out.fixed(&self.database.0).number(self.checkpoint.0);
        self.roots.write(&mut out);
        out.number(self.writers.len() as u64);
        for entry in &self.writers {
            entry.nonce.write(&mut out);
            out.number(entry.commit.0);
        }
        out.number(self.evicted_through.0).run(&self.encryption);
        out.finish()
    }

    /// Reads the stored form.
    pub fn decode(bytes: &[u8]) -> Result<Meta, Unreadable> {
        let mut reader = Reader::open(bytes, MAGIC, FORMAT_VERSION)?;
        let database = DatabaseId(reader.array()?);
        let checkpoint = CommitNumber(reader.number()?);
        let roots = Roots::read(&mut reader)?;
        let count = reader.number()?;
        if count > WRITERS_MAX as u64 {
            return Err(Unreadable::Damaged("too many writers"));
        }
        let mut writers = Vec::new();
        for _ in 0..count {
            let nonce = Nonce::read(&mut reader)?;
            writers.push(WriterEntry { nonce, commit: CommitNumber(reader.number()?) });
        }
        let evicted_through = CommitNumber(reader.number()?);
        let encryption = reader.run()?.to_vec();
        reader.end()?;
        Ok(Meta { database, checkpoint, roots, writers, evicted_through, encryption })
    }
}

impl Roots {
    pub(super) fn write(&self, out: &mut Writer) {
        let (tree, root) = self.catalog.map_or((0, 0), |(tree, root)| (tree.0, root.0));
        out.number(tree).number(root);
        out.number(self.next_page.0).number(self.next_tree.0).number(self.next_record);
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Roots, Unreadable> {
        let (tree, root) = (reader.number()?, reader.number()?);
        Ok(Roots {
            catalog: (root != 0).then_some((TreeId(tree), PageId(root))),
            next_page: PageId(reader.number()?),
            next_tree: TreeId(reader.number()?),
            next_record: reader.number()?,
        })
    }
}

impl Nonce {
    pub(super) fn write(&self, out: &mut Writer) {
        out.fixed(&self.writer.to_le_bytes()).number(self.sequence);
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Nonce, Unreadable> {
        Ok(Nonce { writer: u64::from_le_bytes(reader.array()?), sequence: reader.number()? })
    }

    /// The image tag that a commit or checkpoint of this attempt leaves.
    pub fn image_tag(&self) -> Vec<u8> {
        let mut out = Writer::with_magic(*b"PDBt", FORMAT_VERSION);
        self.write(&mut out);
        out.finish()
    }
}

/// Enters a landed attempt into a table of writers; gives the commit number of the one that had to go, if any.
pub fn remember_writer(writers: &mut Vec<WriterEntry>, entry: WriterEntry) -> Option<CommitNumber> {
    writers.retain(|known| known.nonce.writer != entry.nonce.writer);
    writers.push(entry);
    (writers.len() > WRITERS_MAX).then(|| writers.remove(0).commit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_meta_record_comes_back_and_damage_and_newer_formats_are_told_apart() {
        let mut meta = Meta::first(DatabaseId([7; 16]));
        meta.checkpoint = CommitNumber(300);
        meta.roots.catalog = Some((TreeId(1), PageId(1)));
        meta.encryption = vec![1, 2, 3];
        for n in 0..70 {
            let entry =
                WriterEntry { nonce: Nonce { writer: n, sequence: n * 1000 }, commit: CommitNumber(n) };
            if let Some(gone) = remember_writer(&mut meta.writers, entry) {
                meta.evicted_through = gone;
            }
        }
        assert_eq!((meta.writers.len(), meta.evicted_through), (64, CommitNumber(5)));
        let bytes = meta.encode();
        assert_eq!(Meta::decode(&bytes), Ok(meta));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            assert!(Meta::decode(&damaged).is_err(), "byte {at}");
            assert!(Meta::decode(&bytes[..at]).is_err(), "cut to {at}");
        }
        let mut newer = bytes.clone();
        newer[4] = 2;
        assert_eq!(Meta::decode(&newer), Err(Unreadable::NewerFormat(2)));
    }
}
