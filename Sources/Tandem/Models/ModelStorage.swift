import Observation
package import RecordStore

/// The values of one object: a record's bytes, and over them what was set or decoded since.
///
/// The expansion of ``Model()`` reads and writes by the property's number, so neither a key path nor a
/// dictionary is on the way of an attribute: a set value is one array access, an unset one is read from
/// the bytes. `Codable` values are kept once decoded; so are strings beyond a kilobyte, and beyond 15 bytes where the
/// object keeps values already. A fetched object costs the object, this storage and the record's bytes: three
/// allocations.
///
/// Reading a number takes three dependent loads and no count of references of its own, which is why the bytes and
/// the table of places are at hand as pointers; asking ``ObservationProbe`` whether somebody tracks the read takes
/// about as many instructions again (`tools/bench --instructions`). For the same reason exclusive access is not
/// checked at run time: an object belongs to one isolation, and no accessor here calls out while it holds a property.
///
/// Belongs to the isolation of its object's context.
public final class ModelStorage {
  /// The object's class. Of a new object that of the initialiser that made the storage, until the object is whole.
  var type: any PersistentModel.Type
  package internal(set) var recordID: RecordID
  /// The record as last read; nil for an object that was never read.
  @exclusivity(unchecked) var image: RecordImage? {
    didSet { view = image?.unsafeView ?? .empty }
  }
  /// The bytes of ``image``, which keeps them.
  @exclusivity(unchecked) private(set) var view: RecordView
  /// The class's place in the container; nil before insertion.
  // Not counted: whoever has a binding has a link, and the link keeps the container's core, which keeps all bindings.
  @exclusivity(unchecked) unowned(unsafe) var binding: EntityBinding? {
    didSet { places = binding?.places }
  }
  /// Per property: the binding's own table.
  @exclusivity(unchecked) private(set) var places: UnsafePointer<PropertyPlace>?
  /// The context; nil before insertion.
  @exclusivity(unchecked) var link: ContextLink?
  /// One per property, or none at all as long as all would be empty.
  @exclusivity(unchecked) var slots: ContiguousArray<Slot> = []
  @exclusivity(unchecked) var edits: Edits?
  @exclusivity(unchecked) var flags: Flags = [] {
    didSet { noteAttention() }
  }
  /// Whether the values of all classes of the object's hierarchy are here: not before its first use after the
  /// initialisers. Asked of classes that others may inherit from.
  @exclusivity(unchecked) public internal(set) var isWhole = false
  /// Made when the object is first read under observation tracking.
  @exclusivity(unchecked) private var observation: Observation? {
    didSet { noteAttention() }
  }
  var registrar: ObservationRegistrar? {
    get { observation?.registrar }
    set { observation = newValue.map { Observation($0) } }
  }
  var isObserved: Bool { observation != nil }
  /// Whether a read has more to do than to read: observers, or links that an initialiser set.
  @exclusivity(unchecked) private(set) var needsAttention = false

  /// For an object around an existing record.
  init(type: any PersistentModel.Type, image: RecordImage, binding: EntityBinding, link: ContextLink) {
    self.type = type
    recordID = image.id
    self.image = image
    view = image.unsafeView
    self.binding = binding
    places = binding.places
    self.link = link
  }

  /// For an object without a record.
  init(type: any PersistentModel.Type, recordID: RecordID, propertyCount: Int) {
    self.type = type
    self.recordID = recordID
    view = .empty
    slots = Slot.empty(propertyCount)
  }

  /// A class of ours, because nobody here knows the size of a registrar: an object without one would ask each time.
  private final class Observation {
    let registrar: ObservationRegistrar
    init(_ registrar: ObservationRegistrar) { self.registrar = registrar }
  }

  private func noteAttention() { needsAttention = isObserved || flags.contains(.unlinked) }

  /// For an object without a record, with the properties' defaults.
  convenience init(withDefaultsOf type: any PersistentModel.Type, recordID: RecordID) {
    let description = ModelDescription.of(type)
    self.init(type: type, recordID: recordID, propertyCount: description.properties.count)
    for property in description.properties {
      guard case .attribute(let codec) = property.kind, let value = property.defaultValue.flatMap(codec.encode) else {
        continue
      }
      slots[property.index] = .value(value)
    }
  }

  var description: ModelDescription { binding?.description ?? ModelDescription.of(type) }
}

// What the expansion of `@Model` calls.
extension ModelStorage {
  /// The storage of an object that an initialiser makes, with the properties' defaults.
  ///
  /// For an object that is being made around existing values, gives those and evaluates no default.
  public static func initial<M: PersistentModel>(
    for type: M.Type, _ defaults: (ModelStorage) -> Void = { _ in }
  ) -> ModelStorage {
    if let adopted = Adoption.take(type) { return adopted }
    let storage = ModelStorage(
      type: type, recordID: RecordIDGenerator.shared.next(), propertyCount: ModelDescription.of(type).properties.count)
    defaults(storage)
    return storage
  }

  /// The storage of an object around existing values.
  public static func adopting<M: PersistentModel>(_ backingData: any BackingData<M>) -> ModelStorage {
    backingData._storage
  }

  public func backingData<M: PersistentModel>(of model: M) -> any BackingData<M> { ModelBackingData<M>(self) }
}

// What `PersistentModel` shows.
extension ModelStorage {
  var persistentModelID: PersistentIdentifier {
    let isTemporary = flags.contains(.inserted)
    return PersistentIdentifier(
      recordID: recordID, entityName: description.name, storeIdentifier: isTemporary ? nil : binding?.store.identifier,
      isTemporary: binding == nil || isTemporary)
  }
  var context: ModelContext? { link?.context }
  /// Whether the object belongs to a context, as one of a class or of one that inherits from it.
  func isKind(of other: EntityBinding) -> Bool { binding?.isKind(of: other) ?? false }
  var hasChanges: Bool { binding == nil || !flags.isDisjoint(with: [.inserted, .changed, .deleted]) }
  var isDeleted: Bool {
    if flags.isDisjoint(with: [.deleted, .gone, .hidden]) { return false }
    return !flags.isDisjoint(with: [.deleted, .gone]) || context?.isWeighing == true
  }
  /// Whether the object is not as the store has it, or will not be after a save.
  var isAffected: Bool { !flags.isDisjoint(with: [.inserted, .changed, .deleted, .gone, .hidden]) }
}
