//! The names of MongoDB's aggregation expressions, to tell "not built yet" from "unknown".
//!
//! Replaced by the table of `expr/` once that exists.

/// Whether MongoDB has an expression of that name.
pub fn is_known(name: &str) -> bool {
    name.strip_prefix('$').is_some_and(|bare| NAMES.split_ascii_whitespace().any(|known| known == bare))
}

const NAMES: &str = "abs accumulator acos acosh add addToSet allElementsTrue and anyElementTrue arrayElemAt \
    arrayToObject asin asinh atan atan2 atanh avg binarySize bitAnd bitNot bitOr bitXor bsonSize ceil cmp concat \
    concatArrays cond const convert cos cosh covariancePop covarianceSamp dateAdd dateDiff dateFromParts \
    dateFromString dateSubtract dateToParts dateToString dateTrunc dayOfMonth dayOfWeek dayOfYear \
    degreesToRadians divide eq exp filter first firstN floor function getField gt gte hour ifNull in \
    indexOfArray indexOfBytes indexOfCP isArray isNumber isoDayOfWeek isoWeek isoWeekYear last lastN let literal \
    ln log log10 lt lte ltrim map max maxN median mergeObjects min minN millisecond minute mod month multiply ne \
    not objectToArray or percentile pow push radiansToDegrees rand range reduce regexFind regexFindAll regexMatch \
    replaceAll replaceOne reverseArray round rtrim sampleRate second setDifference setEquals setField \
    setIntersection setIsSubset setUnion sigmoid sin sinh size sortArray split sqrt stdDevPop stdDevSamp \
    strLenBytes strLenCP strcasecmp substr substrBytes substrCP subtract sum switch tan tanh toBool toDate \
    toDecimal toDouble toHashedIndexKey toInt toLong toLower toObjectId toString toUUID toUpper trim trunc \
    tsIncrement tsSecond type unsetField week year zip";
