//! The commit record: what one commit did, in at most 60 KiB.
//!
//! Layout: magic `PDBc`, format version, then in order: flags, nonce, base, roots and all next ids, pages (id, what
//! happened), session outcomes, change-log entries, checksum. Page ids are ascending and stored as differences.
//!
//! `Whole` and `Ranges` (a page or its changes inside the record) are part of the format and read, but commits of this
//! version write page images only. Session outcomes and change-log entries are reserved the same way.

use super::codec::{Reader, Unreadable, Writer};
use super::meta::{Nonce, Roots};
use super::page::FORMAT_VERSION;
use super::{CommitNumber, PageId};

const MAGIC: [u8; 4] = *b"PDBc";
const FLAG_CHECKPOINT: u64 = 1;

/// What a commit did to one page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PageChange {
    /// The page's new stored form.
    Whole(Vec<u8>),
    /// Changes to be replayed on the page by the tree's own code.
    Ranges(Vec<u8>),
    /// The page is gone.
    Deleted,
    /// The new image was put into `pages` by the same transaction.
    Imaged,
}

/// The outcome of a session's last write, kept so that a resend is applied once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionOutcome {
    pub session: [u8; 16],
    pub transaction_number: u64,
    pub outcome: Vec<u8>,
}

/// A commit record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommitRecord {
    /// Whether the same transaction moved the checkpoint to this commit.
    pub checkpoint: bool,
    pub nonce: Nonce,
    /// The commit that this one was built on. Valid only if that is the last valid one.
    pub base: CommitNumber,
    pub roots: Roots,
    /// Ascending by id.
    pub pages: Vec<(PageId, PageChange)>,
    pub sessions: Vec<SessionOutcome>,
    pub changes: Vec<Vec<u8>>,
}

impl CommitRecord {
    /// The stored form.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::with_magic(MAGIC, FORMAT_VERSION);
        out.number(if self.checkpoint { FLAG_CHECKPOINT } else { 0 });
        self.nonce.write(&mut out);
        out.number(self.base.0);
        self.roots.write(&mut out);
        out.number(self.pages.len() as u64);
        let mut last = 0;
        for (id, change) in &self.pages {
            out.number(id.0 - last);
            last = id.0;
            match change {
                PageChange::Whole(bytes) => out.number(0).run(bytes),
                PageChange::Ranges(bytes) => out.number(1).run(bytes),
                PageChange::Deleted => out.number(2),
                PageChange::Imaged => out.number(3),
            };
        }
        out.number(self.sessions.len() as u64);
        for entry in &self.sessions {
            out.fixed(&entry.session).number(entry.transaction_number).run(&entry.outcome);
        }
        out.number(self.changes.len() as u64);
        for entry in &self.changes {
            out.run(entry);
        }
        out.finish()
    }

    /// Reads the stored form.
    pub fn decode(bytes: &[u8]) -> Result<CommitRecord, Unreadable> {
        let mut reader = Reader::open(bytes, MAGIC, FORMAT_VERSION)?;
        let flags = reader.number()?;
        if flags & !FLAG_CHECKPOINT != 0 {
            return Err(Unreadable::Damaged("the record has unknown flags"));
        }
        let nonce = Nonce::read(&mut reader)?;
        let base = CommitNumber(reader.number()?);
        let roots = Roots::read(&mut reader)?;
        let pages = read_pages(&mut reader)?;
        let mut sessions = Vec::new();
        for _ in 0..reader.number()? {
            sessions.push(SessionOutcome {
                session: reader.array()?,
                transaction_number: reader.number()?,
                outcome: reader.run()?.to_vec(),
            });
        }
        let mut changes = Vec::new();
        for _ in 0..reader.number()? {
            changes.push(reader.run()?.to_vec());
        }
        reader.end()?;
        Ok(CommitRecord { checkpoint: flags != 0, nonce, base, roots, pages, sessions, changes })
    }
}

fn read_pages(reader: &mut Reader<'_>) -> Result<Vec<(PageId, PageChange)>, Unreadable> {
    let mut pages = Vec::new();
    let mut last = 0u64;
    for _ in 0..reader.number()? {
        last = last.checked_add(reader.number()?).ok_or(Unreadable::Damaged("a page id is too large"))?;
        let change = match reader.number()? {
            0 => PageChange::Whole(reader.run()?.to_vec()),
            1 => PageChange::Ranges(reader.run()?.to_vec()),
            2 => PageChange::Deleted,
            3 => PageChange::Imaged,
            _ => return Err(Unreadable::Damaged("a page has an unknown change")),
        };
        pages.push((PageId(last), change));
    }
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use super::super::TreeId;
    use super::*;

    fn record() -> CommitRecord {
        CommitRecord {
            checkpoint: true,
            nonce: Nonce { writer: u64::MAX, sequence: 9 },
            base: CommitNumber(41),
            roots: Roots {
                catalog: Some((TreeId(1), PageId(1))),
                next_page: PageId(900),
                next_tree: TreeId(5),
                next_record: 77,
            },
            pages: vec![
                (PageId(3), PageChange::Imaged),
                (PageId(4), PageChange::Deleted),
                (PageId(700), PageChange::Whole(vec![1, 2, 3])),
                (PageId(701), PageChange::Ranges(vec![])),
            ],
            sessions: vec![SessionOutcome { session: [4; 16], transaction_number: 3, outcome: vec![9] }],
            changes: vec![vec![1], vec![], vec![2, 3]],
        }
    }

    #[test]
    fn a_commit_record_comes_back_with_its_reserved_fields() {
        assert_eq!(CommitRecord::decode(&record().encode()), Ok(record()));
    }

    #[test]
    fn every_changed_byte_of_a_commit_record_is_seen() {
        let bytes = record().encode();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(CommitRecord::decode(&damaged).is_err(), "byte {at}");
        }
    }
}
