/// Ids of records that one commit has met.
///
/// Open addressing with linear probing over a power of two of places, at most half full: an id has 56 random bits,
/// which are its hash, so that a look costs a few instructions, where a `Set` hashes sixteen bytes with a secret.
struct RecordIDSet {
  /// `nowhere` where there is none.
  private var places: [RecordID] = []
  private var count = 0
  private var holdsNowhere = false
  private static let nowhere = RecordID(high: 0, low: 0)

  var isEmpty: Bool { count == 0 && !holdsNowhere }

  /// Makes room for so many.
  mutating func reserve(_ count: Int) {
    while 2 * count > places.count { grow() }
  }

  func contains(_ id: RecordID) -> Bool {
    if id == Self.nowhere { return holdsNowhere }
    return !places.isEmpty && places[place(of: id)] == id
  }

  /// False if it was there.
  @discardableResult
  mutating func insert(_ id: RecordID) -> Bool {
    if id == Self.nowhere {
      defer { holdsNowhere = true }
      return !holdsNowhere
    }
    if 2 * count >= places.count { grow() }
    let place = place(of: id)
    guard places[place] != id else { return false }
    places[place] = id
    count += 1
    return true
  }

  /// Where the id is, or would be.
  private func place(of id: RecordID) -> Int {
    let mask = places.count - 1
    // Ids that somebody chose may differ in any of their bits, so all have a say.
    let mixed = (id.high ^ id.low) &* 0x9E37_79B9_7F4A_7C15
    var place = Int(truncatingIfNeeded: mixed >> 32) & mask
    while places[place] != id, places[place] != Self.nowhere { place = (place + 1) & mask }
    return place
  }

  private mutating func grow() {
    let old = places
    places = [RecordID](repeating: Self.nowhere, count: max(16, 2 * old.count))
    for id in old where id != Self.nowhere { places[place(of: id)] = id }
  }
}
