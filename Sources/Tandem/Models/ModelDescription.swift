import Synchronization

/// The runtime's knowledge of one class, independent of any store: found once per class and process.
///
/// `@unchecked Sendable` because key paths and metatypes carry no such mark; everything here is set
/// before the description is shared and not changed afterwards.
final class ModelDescription: @unchecked Sendable {
  /// The property of the other side that says the same.
  struct Inverse {
    let index: Int
    let isToMany: Bool
  }

  let type: any PersistentModel.Type
  /// The model that the class inherits from.
  let superclass: ModelDescription?
  /// The entity's name: that of the class without its module.
  let name: String
  /// Those of the superclass first, under the same numbers as there.
  let properties: [PropertyDescription]
  let relationshipIndexes: [Int]
  /// The constraints that this class declares, without its superclass's; so with the next two.
  let uniqueness: [[AnyKeyPath]]
  let indices: [[AnyKeyPath]]
  let groups: [[AnyKeyPath]]
  private let numbers: [AnyKeyPath: Int]
  private let inverses = Mutex<[Inverse?]?>(nil)
  /// Whether the class's objects have a storage and no other stored property, once one was looked at.
  private let bareness = Atomic(Bareness.unknown.rawValue)

  private static let known = Mutex<[ObjectIdentifier: ModelDescription]>([:])
  /// The description that was asked for last, by whichever thread: new objects of one class mostly come together, and
  /// each asks. ``known`` keeps it for as long as the process lives.
  private static let latest = Atomic<Unmanaged<ModelDescription>?>(nil)

  /// A look-up in a table after the first time.
  static func of(_ type: any PersistentModel.Type) -> ModelDescription {
    if let latest = latest.load(ordering: .acquiring)?._withUnsafeGuaranteedRef({ $0.type == type ? $0 : nil }) {
      return latest
    }
    let found = description(of: type)
    latest.store(.passUnretained(found), ordering: .releasing)
    return found
  }

  private static func description(of type: any PersistentModel.Type) -> ModelDescription {
    let key = ObjectIdentifier(type)
    if let found = known.withLock({ $0[key] }) { return found }
    let made = ModelDescription(type)
    return known.withLock { known in
      if let earlier = known[key] { return earlier }
      known[key] = made
      return made
    }
  }

  /// A name that needs backticks in Swift, such as `some words`, is reported with them, and may have a dot in it.
  private static func name(of type: any PersistentModel.Type) -> String {
    let text = _typeName(type, qualified: false)
    let pieces = text.split(separator: text.hasSuffix("`") ? "`" : ".")
    return pieces.last.map(String.init) ?? text
  }

  private init(_ type: any PersistentModel.Type) {
    self.type = type
    name = Self.name(of: type)
    let superclass = Self.superclass(of: type).map { Self.of($0) }
    self.superclass = superclass
    let prefix = superclass == nil ? "" : "\(name)."
    let inherited = superclass?.properties ?? []
    properties = type.schemaMetadata.enumerated().map { index, metadata in
      let isInherited = index < inherited.count
      return PropertyDescription(
        index: index, metadata, storedName: isInherited ? inherited[index].storedName : prefix + metadata.name)
    }
    relationshipIndexes = properties.filter { $0.destination != nil }.map(\.index)
    uniqueness = Array(type._$uniqueness.dropFirst(superclass?.type._$uniqueness.count ?? 0))
    indices = Array(type._$index.dropFirst(superclass?.type._$index.count ?? 0))
    groups = Array(type._$groups.dropFirst(superclass?.type._$groups.count ?? 0))
    // A key path from a superclass names the property as well.
    numbers = Dictionary(properties.map { ($0.keyPath, $0.index) }) { first, _ in first }
      .merging(superclass?.numbers ?? [:]) { own, _ in own }
  }

  private static func superclass(of type: any PersistentModel.Type) -> (any PersistentModel.Type)? {
    _getSuperclass(type) as? any PersistentModel.Type
  }

  /// The class at the top of the hierarchy, whose name the entity has in the store.
  var root: ModelDescription { superclass?.root ?? self }

  /// The properties that the class adds to those of its superclass.
  var ownProperties: ArraySlice<PropertyDescription> { properties[(superclass?.properties.count ?? 0)...] }

  /// The class that a property stands in: this one or one above it.
  func declaring(_ index: Int) -> ModelDescription {
    guard let superclass, index < superclass.properties.count else { return self }
    return superclass.declaring(index)
  }

  /// Whether the class is another one or inherits from it.
  func isKind(of other: ModelDescription) -> Bool { self === other || superclass?.isKind(of: other) == true }

  /// The number of the property that a key path names; nil for other key paths.
  func index(of keyPath: AnyKeyPath) -> Int? { numbers[keyPath] }

  /// Whether all that an object of the class keeps is in its storage: it can be made again without a loss. A class says
  /// so by the first of its objects.
  func keepsNothingElse(_ model: @autoclosure () -> (any PersistentModel)?) -> Bool {
    let known = bareness.load(ordering: .relaxed)
    if known != Bareness.unknown.rawValue { return known == Bareness.bare.rawValue }
    guard let model = model() else { return false }
    let found = Bareness(model)
    bareness.store(found.rawValue, ordering: .relaxed)
    return found == .bare
  }

  /// Whether an object keeps anything outside of its storage.
  private enum Bareness: UInt8 {
    case unknown, bare, keepsMore

    init(_ model: any PersistentModel) {
      self = .keepsMore
      // A mirror of the class's own may leave out what there is.
      guard !(model is any CustomReflectable) else { return }
      let mirror = Mirror(reflecting: model)
      // The macro leaves properties in the class that take no memory.
      let kept = mirror.children.map(\.value).filter { !($0 is _NoStorage || $0 is Void) }
      if mirror.superclassMirror == nil, kept.count == 1, kept[0] is ModelStorage { self = .bare }
    }
  }

  /// The other side of a relationship, declared there or here, or the only one that it can be.
  func inverse(of index: Int) -> Inverse? {
    inverses.withLock { inverses in
      if let inverses { return inverses[index] }
      let found = properties.map { property in
        let declaring = declaring(property.index)
        return declaring === self
          ? InverseRule.inverse(of: property, in: self) : declaring.inverse(of: property.index)
      }
      inverses = found
      return found[index]
    }
  }

  /// The classes, those that they inherit from, and all that their relationships reach, by name.
  static func reachable(from types: [any PersistentModel.Type]) -> [ModelDescription] {
    var found: [ObjectIdentifier: ModelDescription] = [:]
    var open = types
    while let type = open.popLast() {
      let description = of(type)
      guard found.updateValue(description, forKey: ObjectIdentifier(type)) == nil else { continue }
      open += description.properties.compactMap(\.destination)
      if let superclass = description.superclass { open.append(superclass.type) }
    }
    return found.values.sorted { $0.name < $1.name }
  }
}
