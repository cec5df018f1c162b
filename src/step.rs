//! Steps that may stop.
//!
//! Stopping is not failing: a step that returns [`Stop::Missing`] or [`Stop::Yield`] has left the state of whoever
//! returned it unchanged, and is simply done again. So there is no conversion from [`Stop`] to an error.

use crate::error::{Code, Error};
use crate::pager::{Fault, PageSet};

/// Why a step did not end.
#[derive(Clone, Debug)]
pub enum Stop {
    /// These pages are to be loaded first.
    Missing(PageSet),
    /// The thread is to be given back first.
    Yield,
    /// The command fails.
    Failed(Error),
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
