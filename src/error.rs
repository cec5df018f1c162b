//! The public error: MongoDB's code, its name, a message, labels and details.
//!
//! Made in `command/ query/ update/ expr/ aggregate/` only (and by `bson` arithmetic on their behalf through its own
//! small errors); lower layers have errors of their own.

use crate::bson::DocBuilder;
use std::fmt;
use std::ops::{Deref, DerefMut};

macro_rules! codes {
    ($($name:ident = $code:literal),* $(,)?) => {
        /// MongoDB's error codes that PandoDB makes
        /// (<https://www.mongodb.com/docs/manual/reference/error-codes/>). Codes without a name of their own there are
        /// called `Location<number>` and made by [`Code::location`].
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct Code(pub i32);

        #[allow(non_upper_case_globals)]
        impl Code {
            $(pub const $name: Code = Code($code);)*

            /// The `codeName` of the code.
            pub fn name(self) -> String {
                match self.0 {
                    $($code => stringify!($name).to_string(),)*
                    other => format!("Location{other}"),
                }
            }
        }
    };
}

codes! {
    InternalError = 1,
    BadValue = 2,
    NoSuchKey = 4,
    HostUnreachable = 6,
    GraphContainsCycle = 5,
    FailedToParse = 9,
    UserNotFound = 11,
    UnsupportedFormat = 12,
    Unauthorized = 13,
    TypeMismatch = 14,
    Overflow = 15,
    InvalidLength = 16,
    ProtocolError = 17,
    AuthenticationFailed = 18,
    IllegalOperation = 20,
    EmptyArrayOperation = 21,
    InvalidBSON = 22,
    NamespaceNotFound = 26,
    IndexNotFound = 27,
    PathNotViable = 28,
    NonExistentPath = 29,
    CannotBackfillArray = 34,
    ConflictingUpdateOperators = 40,
    CursorNotFound = 43,
    NamespaceExists = 48,
    DollarPrefixedFieldName = 52,
    InvalidIdField = 53,
    NotSingleValueField = 54,
    InvalidDBRef = 55,
    EmptyFieldName = 56,
    DottedFieldName = 57,
    CommandNotFound = 59,
    ImmutableField = 66,
    CannotCreateIndex = 67,
    IndexAlreadyExists = 68,
    InvalidOptions = 72,
    InvalidNamespace = 73,
    IndexOptionsConflict = 85,
    IndexKeySpecsConflict = 86,
    OperationFailed = 96,
    CommandNotSupported = 115,
    DocumentValidationFailure = 121,
    ExceededMemoryLimit = 146,
    CommandNotSupportedOnView = 166,
    InvalidPipelineOperator = 168,
    CannotIndexParallelArrays = 171,
    InvalidIndexSpecificationOption = 197,
    CursorKilled = 237,
    NotImplemented = 238,
    ExceededTimeLimit = 262,
    QueryExceededMemoryLimitNoDiskUseAllowed = 292,
    NoQueryExecutionPlans = 291,
    DataCorruptionDetected = 318,
    APIMismatchError = 324,
    MaxTimeMSExpired = 50,
    NotExactValueField = 111,
    WriteConflict = 112,
    BSONObjectTooLarge = 10334,
    DuplicateKey = 11000,
    CursorInUse = 12051,
    InterruptedDueToStorageChange = 355,
    InterruptedAtShutdown = 11600,
    Interrupted = 11601,
    DatabaseDifferCase = 13297,
    OutOfDiskSpace = 14031,
    QueryPlanKilled = 175,

}

impl Code {
    /// A code that has no name but its number: `Location<number>`.
    pub const fn location(number: i32) -> Code {
        Code(number)
    }
}

/// An error as a command answers it. One pointer, so that results that may hold one stay small: they are handed up
/// through many functions, and each would have code to copy what an error is made of.
#[derive(Clone, Debug)]
pub struct Error(Box<Body>);

/// What an error is made of; read and changed through [`Error`].
#[derive(Clone, Debug)]
pub struct Body {
    pub code: Code,
    pub message: String,
    /// `errorLabels`, empty for most.
    pub labels: Vec<&'static str>,
    /// Further fields of the reply (`keyPattern`, `keyValue`, …) as one BSON document.
    pub details: Option<Vec<u8>>,
}

/// The result of what may fail with a command's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error with a code and a message.
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error::from_text(code, message.into())
    }

    fn from_text(code: Code, message: String) -> Error {
        Error(Box::new(Body { code, message, labels: Vec::new(), details: None }))
    }

    /// The answer of everything that MongoDB has and PandoDB has not yet: 238, naming the feature.
    pub fn not_implemented(feature: impl fmt::Display) -> Error {
        Error::new(Code::NotImplemented, format!("{feature} is not implemented in PandoDB yet"))
    }

    /// Adds further fields for the reply.
    pub fn with_details(mut self, details: DocBuilder) -> Error {
        self.details = Some(details.finish());
        self
    }
}

impl Deref for Error {
    type Target = Body;

    fn deref(&self) -> &Body {
        &self.0
    }
}

impl DerefMut for Error {
    fn deref_mut(&mut self) -> &mut Body {
        &mut self.0
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.code.name(), self.code.0, self.message)
    }
}

impl std::error::Error for Error {}
