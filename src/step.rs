//! Steps that may stop.
//!
//! Stopping is not failing: a step that returns [`Stop::Missing`] or [`Stop::Yield`] has left the state of whoever
//! returned it unchanged, and is simply done again. So there is no conversion from [`Stop`] to an error.
//!
//! [`Stop::Spill`] is of the same kind: whoever returned it is unchanged, and is asked again once the store has answered.
//! It finds the answer where it looked for it ([`SpillReply`]), and only then goes on.

use crate::error::{Code, Error};
use crate::pager::{Fault, PageSet};
use crate::store::TempKey;
use std::cell::RefCell;
use std::rc::Rc;

/// Why a step did not end.
#[derive(Clone, Debug)]
pub enum Stop {
    /// These pages are to be loaded first.
    Missing(PageSet),
    /// The thread is to be given back first.
    Yield,
    /// These chunks are to be put aside, or fetched, first.
    Spill(SpillRequest),
    /// The command fails.
    Failed(Error),
}

/// What is asked of the temporary storage.
#[derive(Clone, Debug, Default)]
pub struct SpillRequest {
    /// Each of at most `store::VALUE_BYTES_MAX`.
    pub puts: Vec<Vec<u8>>,
    pub gets: Vec<TempKey>,
}

/// What came of a [`SpillRequest`].
#[derive(Debug)]
pub struct SpillReply {
    /// Of the puts, in their order.
    pub chunks: Vec<TempChunk>,
    /// Of the gets, in their order.
    pub bytes: Vec<Vec<u8>>,
}

/// The keys of chunks that nobody has any more, to be deleted.
pub type FreedChunks = Rc<RefCell<Vec<TempKey>>>;

/// A chunk in temporary storage. Who drops it frees it.
#[derive(Debug)]
pub struct TempChunk {
    key: TempKey,
    freed: FreedChunks,
}

impl TempChunk {
    /// A chunk that was put.
    pub fn new(key: TempKey, freed: &FreedChunks) -> TempChunk {
        TempChunk { key, freed: Rc::clone(freed) }
    }

    /// The key to get it by.
    pub fn key(&self) -> TempKey {
        self.key
    }
}

impl Drop for TempChunk {
    fn drop(&mut self) {
        self.freed.borrow_mut().push(self.key);
    }
}

/// The result of a step.
pub type Step<T> = Result<T, Stop>;

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Failed(error)
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        match fault {
            Fault::Missing(pages) => Stop::Missing(pages),
            Fault::Damaged(damage) => {
                let place = damage.page.map_or(String::new(), |page| format!(" page {}:", page.0));
                Stop::Failed(Error::new(
                    Code::DataCorruptionDetected,
                    format!("the stored data is damaged:{place} {}", damage.what),
                ))
            }
        }
    }
}
