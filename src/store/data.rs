//! The three object stores as plain maps: what the memory store and the simulated one keep.
//!
//! 1. A number is given once: deleting records does not move the generator back.
//! 2. A commit whose fence does not hold changes nothing.
//!
//! Deliberately absent: any failure but the fence, and any order between requests; both are the stores' affair.

use super::{CommitNumber, CommitRequest, Fence, MetaKey, PageId, ReadReply, ReadRequest};
use crate::sorted::SortedMap;

/// The content of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Data {
    pages: SortedMap<PageId, Vec<u8>>,
    records: SortedMap<CommitNumber, Vec<u8>>,
    metas: SortedMap<MetaKey, Vec<u8>>,
    /// The last number that was given: IndexedDB's key generator, less one.
    last: CommitNumber,
}

impl Data {
    /// A store as its creation leaves it: the first meta records and nothing else.
    pub fn new(first_metas: Vec<(MetaKey, Vec<u8>)>) -> Data {
        Data { metas: first_metas.into_iter().collect(), ..Data::default() }
    }

    /// The last number that was given to a record.
    pub fn last(&self) -> CommitNumber {
        self.last
    }

    /// Answers a read.
    pub fn read(&self, request: &ReadRequest) -> ReadReply {
        let metas = if request.metas { self.metas.iter().cloned().collect() } else { Vec::new() };
        let records = match request.records_after {
            Some(after) => self.records.from(&after.next()).to_vec(),
            None => Vec::new(),
        };
        let pages = request.pages.iter().map(|id| (*id, self.pages.get(id).cloned())).collect();
        ReadReply { metas, records, pages }
    }

    /// Checks the fence of a commit: the number its record gets, or the number it would have got in vain.
    pub fn fence(&self, request: &CommitRequest) -> Result<CommitNumber, CommitNumber> {
        let next = self.last.next();
        match request.fence {
            Fence::Callback { expected } if expected != next => Err(next),
            Fence::Callback { .. } => Ok(next),
        }
    }

    /// Does a commit: the record, deletions, puts, metas, pruning. `Err` has the number that the record would have
    /// got, and then nothing was changed.
    pub fn commit(&mut self, request: CommitRequest) -> Result<CommitNumber, CommitNumber> {
        let number = self.fence(&request)?;
        self.last = number;
        self.records.insert(number, request.record);
        for id in request.deletes {
            self.pages.remove(&id);
        }
        self.pages.extend(request.puts);
        self.metas.extend(request.metas);
        if let Some(through) = request.prune_through {
            self.records.remove_before(&through.next());
        }
        Ok(number)
    }

    /// The bytes of all values, for a quota.
    pub fn bytes(&self) -> usize {
        let pages: usize = self.pages.values().map(Vec::len).sum();
        let records: usize = self.records.values().map(Vec::len).sum();
        let metas: usize = self.metas.values().map(Vec::len).sum();
        pages + records + metas
    }

    /// The ids of all pages, ascending.
    pub fn page_ids(&self) -> impl Iterator<Item = PageId> + '_ {
        self.pages.keys().copied()
    }

    /// The bytes of a page, to be damaged by a test.
    pub fn page_mut(&mut self, id: PageId) -> Option<&mut Vec<u8>> {
        self.pages.get_mut(&id)
    }

    /// The bytes of a meta record, to be damaged by a test.
    pub fn meta_mut(&mut self, key: MetaKey) -> Option<&mut Vec<u8>> {
        self.metas.get_mut(&key)
    }
}
