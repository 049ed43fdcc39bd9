import RecordStore

/// The objects of one context by record: one object a record.
///
/// Open addressing with linear probing over a power of two of places, at most half full. Ids that were made one
/// after another have neighbouring homes in groups of eight, so that fetching a table in its order walks through
/// memory instead of jumping: at 1,000,000 objects a jump is a miss of every cache. Removal leaves no gaps (the run
/// behind is moved up). The map holds its objects; ``sweep(_:)`` lets go of those that nobody else holds.
///
/// A pointer file: places are probed where they lie, because reading an element of an array counts references.
/// Objects are let go when the map is whole again, for their `deinit` may ask the context for others.
final class IdentityMap {
  private struct Entry {
    let id: RecordID
    var model: (any PersistentModel)?

    static var empty: Entry { Entry(id: RecordID(high: 0, low: 0), model: nil) }
  }

  private var entries: UnsafeMutablePointer<Entry>
  private var capacity: Int
  private(set) var count = 0
  /// Neighbouring homes would make long runs of ids that differ in their random bits only: such are scattered.
  private var isScattered = false
  private static let smallestCapacity = 64
  /// A table of half a megabyte that becomes empty stays: what filled it is likely to fill it again.
  private static let keptCapacity = 1 << 14
  /// A run that is longer than chance allows in a table that is half empty.
  private static let longestRun = 128

  init() {
    capacity = Self.smallestCapacity
    entries = Self.allocate(capacity)
  }

  deinit {
    letGoOfAll()
    entries.deallocate()
  }

  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Entry> {
    let entries = UnsafeMutablePointer<Entry>.allocate(capacity: capacity)
    entries.initialize(repeating: .empty, count: capacity)
    return entries
  }

  subscript(_ id: RecordID) -> (any PersistentModel)? {
    guard count > 0 else { return nil }
    var place = home(of: id)
    while entries[place].model != nil {
      if entries[place].id == id { return entries[place].model }
      place = (place + 1) & (capacity - 1)
    }
    return nil
  }

  /// Enters an object. The id must not be there.
  func insert(_ model: any PersistentModel, _ id: RecordID) {
    if 2 * (count + 1) > capacity { rebuild(2 * capacity) }
    let first = home(of: id)
    var place = first
    while entries[place].model != nil { place = (place + 1) & (capacity - 1) }
    entries[place] = Entry(id: id, model: model)
    count += 1
    if !isScattered, (place &- first) & (capacity - 1) > Self.longestRun {
      isScattered = true
      rebuild(capacity)
    }
  }

  /// Makes room, so that as many insertions do not move what is there.
  func reserve(_ additional: Int) {
    var size = capacity
    while 2 * (count + additional) > size { size *= 2 }
    if size > capacity { rebuild(size) }
  }

  func remove(_ id: RecordID) {
    var place = home(of: id)
    while entries[place].model != nil, entries[place].id != id { place = (place + 1) & (capacity - 1) }
    let leaving = entries[place].model
    guard leaving != nil else { return }
    entries[place].model = nil
    count -= 1
    close(gapAt: place)
    withExtendedLifetime(leaving) {}
  }

  /// Takes an object out if nobody but the map knows it: no other reference leads to it, be it weak or unowned. Nil,
  /// and nothing changed, for any other.
  func takeUnheld(_ id: RecordID) -> (any PersistentModel)? {
    var place = home(of: id)
    while entries[place].model != nil, entries[place].id != id { place = (place + 1) & (capacity - 1) }
    // In this order: a copy of the reference counts.
    guard entries[place].model != nil, isOnlyReference(at: place), isUnmentioned(at: place) else { return nil }
    let leaving = entries[place].model.take()
    count -= 1
    close(gapAt: place)
    return leaving
  }

  /// Whether no weak or unowned reference leads to the object. The runtime counts one of each for the object itself.
  private func isUnmentioned(at place: Int) -> Bool {
    entries[place].model.map { _getUnownedRetainCount($0) == 1 && _getWeakRetainCount($0) == 1 } ?? false
  }

  /// The objects as they are now; `body` may change the map.
  func forEach(_ body: (any PersistentModel) -> Void) {
    var models: ContiguousArray<any PersistentModel> = []
    models.reserveCapacity(count)
    for place in 0..<capacity {
      if let model = entries[place].model { models.append(model) }
    }
    for model in models { body(model) }
  }

  /// Lets go of the objects that `canGo` says and that nobody else holds. Linear in the map's size.
  func sweep(_ canGo: (any PersistentModel) -> Bool) {
    var leaving: ContiguousArray<any PersistentModel> = []
    for place in 0..<capacity where entries[place].model != nil {
      // In this order: the first question is answered by the object alone, and no copy of it must be there.
      guard isOnlyReference(at: place), let isFree = entries[place].model.map(canGo), isFree else { continue }
      // The place is no gap yet: the run behind it would not be found. `rebuild` passes over it.
      if let model = entries[place].model.take() { leaving.append(model) }
    }
    guard !leaving.isEmpty else { return }
    count -= leaving.count
    if count == 0, capacity <= Self.keptCapacity { return withExtendedLifetime(leaving) {} }
    var size = Self.smallestCapacity
    while 4 * count > size { size *= 2 }
    rebuild(size)
    withExtendedLifetime(leaving) {}
  }

  /// Lets go of all objects in the order of their addresses, which mostly is that of their making: from one to the next
  /// memory is at hand then, and what is freed joins what was freed before. In the order of the places it is not.
  private func letGoOfAll() {
    guard ClassReference.isKnown else { return letGoOfAllTaken() }
    var addresses: [UInt] = []
    addresses.reserveCapacity(count)
    for place in 0..<capacity where entries[place].model != nil {
      // The reference is counted here from now on: the place stays as it is and is not looked at again.
      withUnsafeMutablePointer(to: &entries[place].model) { addresses.append(ClassReference.address(at: $0)) }
    }
    addresses.sort()
    for address in addresses {
      UnsafeRawPointer(bitPattern: address).map { Unmanaged<AnyObject>.fromOpaque($0).release() }
    }
  }

  /// The same, where the references can not be seen in their places.
  private func letGoOfAllTaken() {
    var models: [(any PersistentModel)?] = []
    models.reserveCapacity(count)
    for place in 0..<capacity {
      if let model = entries[place].model.take() { models.append(model) }
    }
    models.sort { left, right in
      guard let left, let right else { return false }
      return ObjectIdentifier(left) < ObjectIdentifier(right)
    }
    for place in models.indices { models[place] = nil }
  }

  /// Asked of the reference where it lies.
  private func isOnlyReference(at place: Int) -> Bool {
    withUnsafeMutablePointer(to: &entries[place].model) { ClassReference.isOnly(at: $0) }
  }

  /// Moves what is there to a table of another size.
  private func rebuild(_ size: Int) {
    let old = entries
    let oldCapacity = capacity
    entries = Self.allocate(size)
    capacity = size
    for place in 0..<oldCapacity where old[place].model != nil {
      var target = home(of: old[place].id)
      while entries[target].model != nil { target = (target + 1) & (capacity - 1) }
      swap(&entries[target], &old[place])
    }
    // Only nils are left there.
    old.deallocate()
  }

  private func close(gapAt start: Int) {
    let mask = capacity - 1
    var gap = start
    var place = (gap + 1) & mask
    while entries[place].model != nil {
      // An entry may move up if its home is not between the gap and where it is.
      if (place &- home(of: entries[place].id)) & mask >= (place &- gap) & mask {
        swap(&entries[gap], &entries[place])
        gap = place
      }
      place = (place + 1) & mask
    }
  }

  @inline(__always)
  private func home(of id: RecordID) -> Int {
    if isScattered {
      let mixed = (id.low ^ id.high) &* 0x9E37_79B9_7F4A_7C15
      return Int(truncatingIfNeeded: mixed >> 20) & (capacity - 1)
    }
    // Time and counter, the part of an id that rises by one; see RecordID.
    let number = id.high << 8 | id.low >> 56
    let mixed = (number >> 3) &* 0x9E37_79B9_7F4A_7C15
    return (Int(truncatingIfNeeded: mixed >> 20) << 3 | Int(truncatingIfNeeded: number & 7)) & (capacity - 1)
  }
}
