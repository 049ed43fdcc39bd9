import RecordStore

/// The objects of one context by record: one object a record.
///
/// Open addressing with linear probing over a power of two of places, at most half full: cheaper to
/// fill than a dictionary, since ids need no hashing. Removal leaves no gaps (the run behind
/// is moved up). The map holds its objects; ``sweep(_:)`` lets go of those that nobody else holds.
struct IdentityMap {
  private struct Entry {
    let id: RecordID
    var model: any PersistentModel
  }
  private var entries: ContiguousArray<Entry?> = ContiguousArray(repeating: nil, count: 64)
  private(set) var count = 0

  subscript(_ id: RecordID) -> (any PersistentModel)? {
    var place = home(of: id)
    while let entry = entries[place] {
      if entry.id == id { return entry.model }
      place = (place + 1) & (entries.count - 1)
    }
    return nil
  }

  /// Enters an object. The id must not be there.
  mutating func insert(_ model: any PersistentModel, _ id: RecordID) {
    if 2 * (count + 1) > entries.count { grow(to: 2 * entries.count) }
    place(Entry(id: id, model: model))
    count += 1
  }

  /// Makes room, so that as many insertions do not move what is there.
  mutating func reserve(_ additional: Int) {
    var size = entries.count
    while 2 * (count + additional) > size { size *= 2 }
    if size > entries.count { grow(to: size) }
  }

  mutating func remove(_ id: RecordID) {
    var place = home(of: id)
    while let entry = entries[place], entry.id != id { place = (place + 1) & (entries.count - 1) }
    guard entries[place] != nil else { return }
    entries[place] = nil
    count -= 1
    close(gapAt: place)
  }

  func forEach(_ body: (any PersistentModel) -> Void) {
    for case let entry? in entries { body(entry.model) }
  }

  /// Lets go of the objects that `canGo` says and that nobody else holds. Linear in the map's size.
  mutating func sweep(_ canGo: (any PersistentModel) -> Bool) {
    var kept: ContiguousArray<Entry> = []
    for place in entries.indices {
      guard var entry = entries[place].take() else { continue }
      let isFree = canGo(entry.model)
      if !isFree || !Self.isOnlyReference(&entry.model) { kept.append(entry) }
    }
    var size = 64
    while 4 * kept.count > size { size *= 2 }
    entries = ContiguousArray(repeating: nil, count: size)
    count = kept.count
    for entry in kept { place(entry) }
  }

  private static func isOnlyReference(_ model: inout any PersistentModel) -> Bool {
    func opened<M: PersistentModel>(_ model: inout M) -> Bool { isKnownUniquelyReferenced(&model) }
    return opened(&model)
  }

  private mutating func grow(to size: Int) {
    let old = entries
    entries = ContiguousArray(repeating: nil, count: size)
    for case let entry? in old { place(entry) }
  }

  private mutating func place(_ entry: Entry) {
    var place = home(of: entry.id)
    while entries[place] != nil { place = (place + 1) & (entries.count - 1) }
    entries[place] = entry
  }

  private mutating func close(gapAt start: Int) {
    let mask = entries.count - 1
    var gap = start
    var place = (gap + 1) & mask
    while let entry = entries[place] {
      // An entry may move up if its home is not between the gap and where it is.
      if (place &- home(of: entry.id)) & mask >= (place &- gap) & mask {
        entries[gap] = entry
        entries[place] = nil
        gap = place
      }
      place = (place + 1) & mask
    }
  }

  private func home(of id: RecordID) -> Int {
    // The low bits are random but for ids derived from a hash, which are random everywhere.
    let mixed = (id.low ^ id.high) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed >> 20) & (entries.count - 1)
  }
}
