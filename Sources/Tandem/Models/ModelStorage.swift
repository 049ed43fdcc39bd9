import Observation
package import RecordStore

/// The values of one object: a record's bytes, and over them what was set or decoded since.
///
/// The expansion of ``Model()`` reads and writes by the property's number, so neither a key path nor a
/// dictionary is on the way of an attribute: a set value is one array access, an unset one is read from
/// the bytes. `Codable` values are kept once decoded; so are strings beyond a kilobyte, and beyond 15 bytes where the
/// object keeps values already. A fetched object costs the object and this storage, which has the record's bytes behind
/// it: two allocations. An object without a record has no bytes. Bytes that replace others lie elsewhere
/// (`Head.memory`).
///
/// Reading a number takes three dependent loads and no count of references of its own, which is why the place of the
/// bytes and the table of places are at hand as pointers; asking `ObservationProbe` whether somebody tracks the read
/// takes about as many instructions again (`tools/bench --instructions`). Exclusive access is not checked at run time
/// either: an object belongs to one isolation, and no accessor here calls out while it holds a property.
///
/// A pointer file: a class with stored properties cannot have bytes behind it. So it has none; they are the `Head` of
/// the buffer that each of its objects is, found by `ManagedBufferPointer`.
///
/// Belongs to the isolation of its object's context.
public final class ModelStorage {
  @available(*, unavailable, message: "an object of the class is a buffer, which has a head and room for bytes")
  private init() {}

  deinit { _ = head.deinitialize(count: 1) }

  /// A buffer of words: the `Head` first, then the record's bytes. The head is no header of the buffer's, because
  /// `ManagedBufferPointer` copies its header once when it is made.
  private typealias Buffer = ManagedBufferPointer<Void, UInt64>

  @inline(__always)
  private var head: UnsafeMutablePointer<Head> {
    let words = Buffer(unsafeBufferObject: self).withUnsafeMutablePointerToElements { $0 }
    return UnsafeMutableRawPointer(words).assumingMemoryBound(to: Head.self)
  }

  /// An object with room for bytes behind its head, which the caller makes.
  @inline(__always)
  private static func allocate(room byteCount: Int) -> ModelStorage {
    let wordSize = MemoryLayout<UInt64>.size
    let words = (MemoryLayout<Head>.size + byteCount + wordSize - 1) / wordSize
    // The class that the buffer is asked for.
    let storage = unsafeDowncast(
      Buffer(bufferClass: ModelStorage.self, minimumCapacity: words) { _, _ in }.buffer, to: ModelStorage.self)
    UnsafeMutableRawPointer(storage.head).bindMemory(to: Head.self, capacity: 1)
    return storage
  }

  /// For an object around an existing record, whose bytes are copied and checked: throws `damaged` on a wrong checksum.
  static func copying(
    _ row: QueryRow, _ binding: EntityBinding, _ link: consuming ContextLink
  ) throws -> ModelStorage {
    let storage = allocate(room: row.byteCount)
    let view = row.copy(to: UnsafeMutableRawPointer(storage.head) + MemoryLayout<Head>.size)
    storage.head.initialize(
      to: Head(
        view: view, places: binding.places, slots: [], binding: binding, description: binding.description,
        recordID: row.id, link: link))
    try row.verify(view)
    return storage
  }

  /// For an inserted object whose values lie in a draft, which stays as long as `piece`.
  static func packed(
    _ draft: RecordView, in piece: DraftMemory.Piece, _ binding: EntityBinding, _ id: RecordID,
    _ link: consuming ContextLink
  ) -> ModelStorage {
    let storage = allocate(room: 0)
    storage.head.initialize(
      to: Head(
        view: draft, places: binding.places, slots: [], flags: .inserted, binding: binding,
        description: binding.description, recordID: id, link: link, memory: piece))
    return storage
  }

  /// For an object without a record.
  static func empty(_ description: ModelDescription, _ id: RecordID) -> ModelStorage {
    let storage = allocate(room: 0)
    storage.head.initialize(
      to: Head(
        view: .empty, slots: Slot.empty(description.properties.count), description: description, recordID: id))
    return storage
  }
}

// The record.
extension ModelStorage {
  /// False for an object that was never read, unless its values are packed.
  var hasRecord: Bool { !view.isEmpty }

  /// The record as last read. Its bytes go with the object, so their user sees to it that this lives until then.
  var view: RecordView { head.pointee.view }

  /// The record has other bytes now. Those behind the object stay, unused.
  func take(_ image: RecordImage) { take(image.unsafeView, in: image.memory) }

  /// As ``take(_:)``, with bytes that are valid as long as `memory`.
  func take(_ view: RecordView, in memory: AnyObject) {
    head.pointee.memory = memory
    head.pointee.view = view
  }

  /// The keeper of the record's bytes; nil where they lie behind the object, or there are none.
  var memory: AnyObject? { head.pointee.memory }

  func forgetRecord() {
    head.pointee.view = .empty
    head.pointee.memory = nil
  }
}

// The parts of the head.
extension ModelStorage {
  /// The description of the object's class. A new object has that of the initialiser that made the storage, until the
  /// object is whole.
  var description: ModelDescription {
    get { head.pointee.description }
    set { head.pointee.description = newValue }
  }
  var type: any PersistentModel.Type { description.type }
  package internal(set) var recordID: RecordID {
    get { head.pointee.recordID }
    set { head.pointee.recordID = newValue }
  }
  /// The class's place in the container; nil before insertion.
  var binding: EntityBinding? {
    get { head.pointee.binding }
    set {
      head.pointee.binding = newValue
      head.pointee.places = newValue?.places
    }
  }
  /// Per property: the binding's own table.
  var places: UnsafePointer<PropertyPlace>? { head.pointee.places }
  /// The context; nil before insertion.
  var link: ContextLink? {
    get { head.pointee.link }
    set { head.pointee.link = newValue }
  }
  /// One per property, or none at all as long as all would be empty.
  // By its address, so that an element is read and changed where it lies: the compiler copies what a getter gives.
  var slots: ContiguousArray<Slot> {
    unsafeAddress { UnsafePointer(slotsAddress) }
    unsafeMutableAddress { slotsAddress }
  }
  @inline(__always)
  private var slotsAddress: UnsafeMutablePointer<ContiguousArray<Slot>> {
    // Nil only for a property that is computed.
    head.pointer(to: \.slots).unsafelyUnwrapped
  }
  var edits: Edits? {
    get { head.pointee.edits }
    set { head.pointee.edits = newValue }
  }
  var flags: Flags {
    get { head.pointee.flags }
    set {
      head.pointee.flags = newValue
      noteAttention()
    }
  }
  /// Whether the values of all classes of the object's hierarchy are here: not before its first use after the
  /// initialisers. Asked of classes that others may inherit from.
  public internal(set) var isWhole: Bool {
    get { head.pointee.isWhole }
    set { head.pointee.isWhole = newValue }
  }
  /// Made when the object is first read under observation tracking.
  var registrar: ObservationRegistrar? {
    get { head.pointee.observation?.registrar }
    set {
      head.pointee.observation = newValue.map { Observation($0) }
      noteAttention()
    }
  }
  var isObserved: Bool { head.pointee.observation != nil }
  /// Whether others than the object may hold this: a ``ModelBackingData`` was made of it.
  var isLent: Bool {
    get { head.pointee.isLent }
    set { head.pointee.isLent = newValue }
  }
  /// Whether a read has more to do than to read: observers, or links that an initialiser set.
  var needsAttention: Bool { head.pointee.needsAttention }

  private func noteAttention() { head.pointee.needsAttention = isObserved || flags.contains(.unlinked) }
}

extension ModelStorage {
  /// For an object without a record, with the properties' defaults.
  static func withDefaults(of type: any PersistentModel.Type, _ id: RecordID) -> ModelStorage {
    let description = ModelDescription.of(type)
    let storage = empty(description, id)
    for property in description.properties {
      guard case .attribute(let codec) = property.kind, let value = property.defaultValue.flatMap(codec.encode) else {
        continue
      }
      storage.slots[property.index] = .value(value)
    }
    return storage
  }
}

// The functions that the expansion of `@Model` calls.
extension ModelStorage {
  /// The storage of an object that an initialiser makes, with the properties' defaults.
  ///
  /// For an object that is being made around existing values, gives those and evaluates no default.
  public static func initial<M: PersistentModel>(
    for type: M.Type, _ defaults: (ModelStorage) -> Void = { _ in }
  ) -> ModelStorage {
    if let adopted = Adoption.take(type) { return adopted }
    let storage = empty(ModelDescription.of(type), RecordIDGenerator.shared.next())
    defaults(storage)
    return storage
  }

  /// Whether a storage is that around which an object is being made, and the object has it already: its initialiser
  /// need not ask its backing data for another.
  ///
  /// Takes an identifier, because a reference would be counted.
  public static func isAdopted(_ storage: ObjectIdentifier) -> Bool { Adoption.isTaken(storage) }

  /// The storage of an object around existing values.
  public static func adopting<M: PersistentModel>(_ backingData: any BackingData<M>) -> ModelStorage {
    backingData._storage
  }

  /// Part of the expansion of ``Model()``: the storage for code that is written against key paths.
  public func backingData<M: PersistentModel>(of model: M) -> any BackingData<M> { ModelBackingData<M>(self) }
}

// The properties that `PersistentModel` shows.
extension ModelStorage {
  var persistentModelID: PersistentIdentifier {
    let isTemporary = flags.contains(.inserted)
    return PersistentIdentifier(
      recordID: recordID, entityName: description.name, storeIdentifier: isTemporary ? nil : binding?.store.identifier,
      isTemporary: binding == nil || isTemporary)
  }
  /// The context that reads for the object. An object that left the store has one too, for what it was linked to.
  var context: ModelContext? { link?.context }
  /// Whether the object belongs to a context, as one of a class or of one that inherits from it.
  func isKind(of other: EntityBinding) -> Bool { binding?.isKind(of: other) ?? false }
  var hasChanges: Bool { binding == nil || !flags.isDisjoint(with: [.inserted, .changed, .deleted]) }
  var isDeleted: Bool {
    if flags.isDisjoint(with: [.deleted, .gone, .hidden]) { return false }
    return !flags.isDisjoint(with: [.deleted, .gone]) || context?.weighed.isRunning == true
  }
  /// Whether the object is not as the store has it, or will not be after a save.
  var isAffected: Bool { !flags.isDisjoint(with: [.inserted, .changed, .deleted, .gone, .hidden]) }
}
