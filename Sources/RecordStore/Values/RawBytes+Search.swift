import Foundation
import LMDB

extension RawBytes {
  /// Where other bytes, at least one, stand in these, from an offset on; nil where they do not. A pointer file: the C
  /// library looks for the first of them.
  func firstOffset(of other: RawBytes, from offset: Int) -> Int? {
    let first = Int32(other.load(at: 0, as: UInt8.self))
    var place = offset
    while place + other.count <= count, let found = memchr(start + place, first, count - place - other.count + 1) {
      place = start.distance(to: UnsafeRawPointer(found))
      if memcmp(found, other.start, other.count) == 0 { return place }
      place += 1
    }
    return nil
  }
}
