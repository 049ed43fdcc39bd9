import RecordStore

extension ModelStorage {
  /// The value of one property in memory, over what the record's bytes say.
  enum Slot {
    /// Nothing: the bytes speak.
    case empty
    /// An attribute's value, or the id of a to-one's target.
    case value(FieldValue)
    /// A decoded `Codable` value.
    case composite(CompositeValue)
    /// The target of a to-one that was set and is not saved yet: kept alive by this reference.
    case toOne(any PersistentModel)
    case toMany(ToMany)

    var isEmpty: Bool {
      if case .empty = self { return true }
      return false
    }

    /// So many empty ones. Appended one by one, because `init(repeating:count:)` is not made for this type by the
    /// compiler: it asks the runtime for the array's, which takes longer than filling it.
    static func empty(_ count: Int) -> ContiguousArray<Slot> {
      var slots: ContiguousArray<Slot> = []
      slots.reserveCapacity(count)
      for _ in 0..<count { slots.append(.empty) }
      return slots
    }
  }

  /// A value beside its bytes, so that neither is made twice.
  final class CompositeValue {
    let value: Any
    let encoded: FieldValue
    /// Why the value has no bytes. A save with it throws.
    let failure: (any Error)?

    init(_ value: Any, _ encode: () throws -> FieldValue) {
      self.value = value
      do {
        encoded = try encode()
        failure = nil
      } catch {
        encoded = .null
        failure = error
      }
    }
  }

  /// A to-many relationship in memory.
  final class ToMany {
    /// Nil: not loaded. Objects deleted since then are in it and are left out on reading.
    var members: [any PersistentModel]?
    /// Linked and not saved yet.
    var added: [any PersistentModel] = []
    /// Unlinked and not saved yet.
    var removed: [any PersistentModel] = []
    /// The stored positions of an ordered relationship.
    var positions: [RecordID: OrderKey] = [:]
    /// Positions that a save is writing.
    var newPositions: [RecordID: OrderKey] = [:]
    /// Whether the order of the members was set and is not saved yet.
    var isReordered = false
    /// The state of the links' entity at loading, see `StorePosition.linkGenerations`.
    var generation: UInt64 = 0

    var isPending: Bool { !added.isEmpty || !removed.isEmpty }

    /// As if the object had never been linked.
    func forget(_ storage: ModelStorage) {
      members?.removeAll { $0._$storage === storage }
      added.removeAll { $0._$storage === storage }
      removed.removeAll { $0._$storage === storage }
    }

    init(members: [any PersistentModel]? = nil) { self.members = members }
  }

  /// The parts that only an object with unsaved changes needs. Access is not checked at run time, see ``ModelStorage``.
  final class Edits {
    /// Properties set since the last save.
    @exclusivity(unchecked) var changed = PropertySet()
    /// The former contents of slots, for ``ModelContext/rollback()``. Slots that were empty are not listed.
    @exclusivity(unchecked) var originals: [Int: Slot] = [:]
    /// Owners by to-many relationships that have no property on this side. A nil value: unlinked.
    @exclusivity(unchecked) var hiddenOwners: [HiddenRelationship: (any PersistentModel)?] = [:]

    /// The owners there are, in an order that is equal in every process.
    var owners: [any PersistentModel] {
      hiddenOwners.compactMap { relationship, owner in owner.map { (relationship.index, $0) } }
        .sorted { ($0.1._$storage.description.name, $0.0) < ($1.1._$storage.description.name, $1.0) }
        .map(\.1)
    }
  }

  /// A to-many relationship without an inverse: the reference lies in a hidden field of this object's record.
  struct HiddenRelationship: Hashable {
    let owner: ObjectIdentifier
    let index: Int
  }

  struct Flags: OptionSet {
    let rawValue: UInt8
    /// In the context and not in the store yet.
    static let inserted = Flags(rawValue: 1)
    /// Listed among the context's changed objects.
    static let changed = Flags(rawValue: 2)
    /// Deleted in the context, not in the store yet.
    static let deleted = Flags(rawValue: 4)
    /// Not in the store any more.
    static let gone = Flags(rawValue: 8)
    /// Relationships were set by the initialiser; the other sides do not know yet.
    static let unlinked = Flags(rawValue: 16)
    /// Will go by a delete rule at the next save; counts only while a fetch weighs objects.
    static let hidden = Flags(rawValue: 32)
    /// Met already while a save brings new objects into order.
    static let visited = Flags(rawValue: 64)
    /// Left its context by a rollback, with links of which the other sides do not know any more.
    static let detached = Flags(rawValue: 128)

    /// The other sides do not know of links that this one has.
    var isOneSided: Bool { !isDisjoint(with: [.unlinked, .detached]) }
  }
}
