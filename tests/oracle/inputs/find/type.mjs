// $type by name and by number over a value of every type.
import { double, everyType, given, match, numbered } from '../terms.mjs';

const typeNames = ['double', 'string', 'object', 'array', 'binData', 'undefined', 'objectId', 'bool', 'date', 'null', 'regex', 'dbPointer', 'javascript', 'symbol',
  'javascriptWithScope', 'int', 'timestamp', 'long', 'decimal', 'minKey', 'maxKey', 'number'];
export default {
  given: given(numbered(everyType)),
  cases: [
    ...typeNames.map((name) => match({ a: { $type: name } })),
    ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, -1, 127].map((n) => match({ a: { $type: n } })),
    match({ a: { $type: ['string', 'null'] } }), match({ a: { $type: [1, 'bool'] } }), match({ a: { $type: double(2) } }), match({ a: { $type: 2n } }), match({ a: { $not: { $type: 'number' } } }),
  ],
};
