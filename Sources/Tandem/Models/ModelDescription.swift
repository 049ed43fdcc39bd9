import Synchronization

/// What the runtime knows of one class, independent of any store: found once per class and process.
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
  /// The entity's name: that of the class without its module.
  let name: String
  let properties: [PropertyDescription]
  let relationshipIndexes: [Int]
  let uniqueness: [[AnyKeyPath]]
  let indices: [[AnyKeyPath]]
  let groups: [[AnyKeyPath]]
  private let numbers: [AnyKeyPath: Int]
  private let inverses = Mutex<[Inverse?]?>(nil)

  private static let known = Mutex<[ObjectIdentifier: ModelDescription]>([:])

  /// A look-up in a table after the first time.
  static func of(_ type: any PersistentModel.Type) -> ModelDescription {
    let key = ObjectIdentifier(type)
    if let found = known.withLock({ $0[key] }) { return found }
    let made = ModelDescription(type)
    return known.withLock { known in
      if let earlier = known[key] { return earlier }
      known[key] = made
      return made
    }
  }

  private init(_ type: any PersistentModel.Type) {
    self.type = type
    name = _typeName(type, qualified: false).split(separator: ".").last.map(String.init) ?? "\(type)"
    properties = type.schemaMetadata.enumerated().map { PropertyDescription(index: $0.offset, $0.element) }
    relationshipIndexes = properties.filter { $0.destination != nil }.map(\.index)
    uniqueness = type._$uniqueness
    indices = type._$index
    groups = type._$groups
    numbers = Dictionary(properties.map { ($0.keyPath, $0.index) }) { first, _ in first }
  }

  /// The number of the property that a key path names; nil for other key paths.
  func index(of keyPath: AnyKeyPath) -> Int? { numbers[keyPath] }

  /// The other side of a relationship, declared there or here, or the only one that it can be.
  func inverse(of index: Int) -> Inverse? {
    inverses.withLock { inverses in
      if let inverses { return inverses[index] }
      let found = properties.map { InverseRule.inverse(of: $0, in: self) }
      inverses = found
      return found[index]
    }
  }

  /// The classes and all that their relationships reach, by name.
  static func reachable(from types: [any PersistentModel.Type]) -> [ModelDescription] {
    var found: [ObjectIdentifier: ModelDescription] = [:]
    var open = types
    while let type = open.popLast() {
      let description = of(type)
      guard found.updateValue(description, forKey: ObjectIdentifier(type)) == nil else { continue }
      open += description.properties.compactMap(\.destination)
    }
    return found.values.sorted { $0.name < $1.name }
  }
}
