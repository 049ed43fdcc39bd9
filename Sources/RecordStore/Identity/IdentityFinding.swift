/// Whether a store is still the one that it takes itself for.
///
/// Decided from four things: the header and the own last sequence (both from the store), the place that the store has
/// noted, and the identity file beside it.
///
/// 1. The data file is not at the noted place: a copy.
/// 2. The identity file is of this very data file, and knows a later sequence under the present incarnation, or an
///    incarnation that the store does not know: the store was set back.
/// 3. Otherwise it is the store; a place that was never noted is noted now.
enum IdentityFinding: Hashable, Sendable {
  case original
  /// As `original`; its place is not noted yet.
  case unmarked
  case copied
  case setBack

  init(
    _ header: StoreHeader, ownSequence: UInt64, noted: NotedPlace?, present: StorePlace, file: IdentityFile?,
    numbersLast: @autoclosure () throws -> Bool
  ) rethrows {
    if let noted, try !present.isSame(as: noted.place, numbersLast: numbersLast()) {
      self = .copied
      return
    }
    if let file, try present.isSame(as: file.place, numbersLast: numbersLast()) {
      let knows = file.incarnation == header.incarnation || file.incarnation == noted?.replaced
      if !knows || (file.incarnation == header.incarnation && file.lastExported > ownSequence) {
        self = .setBack
        return
      }
    }
    self = noted == nil ? .unmarked : .original
  }
}
