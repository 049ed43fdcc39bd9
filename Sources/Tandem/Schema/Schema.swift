import Synchronization

/// The entities of a container: what ``ModelContainer`` stores, taken from classes that ``Model()`` conforms.
///
/// ```swift
/// let schema = Schema([Trip.self])
/// let trip: Schema.Entity? = schema.entity(for: Trip.self)
/// for property in trip?.storedProperties ?? [] { print(property.name, property.valueType) }
/// ```
///
/// Classes that are reached by relationships belong to the schema without being named.
public final class Schema: Sendable {
  /// Made at the first question where the classes are known: a container takes what it needs from the classes.
  private let content: Mutex<Content?>
  /// The version that the author gave the schema; 1.0.0 without one.
  public let version: Version
  /// The version of the form in which this schema is written.
  public let encodingVersion: Version
  /// The version of the form that ``save(to:)`` writes.
  public static let schemaEncodingVersion = Version(1, 0, 0)
  /// The classes, where they are known: not for a schema that was loaded or written by hand.
  package let types: [any PersistentModel.Type]

  /// A schema without entities.
  public convenience init() { self.init([Entity](), version: Version(1, 0, 0), types: []) }

  /// A schema of entities that were written by hand; no container can be made for it, as no class is known.
  public convenience init(_ entities: Schema.Entity..., version: Version = Version(1, 0, 0)) {
    self.init(entities, version: version, types: [])
  }

  /// The schema of classes, and of all that their relationships reach.
  public convenience init(_ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)) {
    self.init(nil, version: version, types: ModelDescription.reachable(from: types).map(\.type))
  }

  /// The schema of classes, and of all that their relationships reach.
  public convenience init(_ types: any PersistentModel.Type..., version: Version = Version(1, 0, 0)) {
    self.init(types, version: version)
  }

  /// Without entities they are those of the classes.
  package init(_ entities: [Entity]?, version: Version, types: [any PersistentModel.Type]) {
    content = Mutex(entities.map { Content($0) })
    self.version = version
    encodingVersion = Schema.schemaEncodingVersion
    self.types = types
  }

  private struct Content {
    let entities: [Entity]
    let byName: [String: Entity]

    init(_ entities: [Entity]) {
      self.entities = entities
      byName = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
    }
  }

  private var known: Content {
    if let known = content.withLock({ $0 }) { return known }
    // Not within the lock, for it asks the classes; of two threads' entities the first are the schema's.
    let made = Content(Entity.related(types.map { Entity(ModelDescription.of($0)) }))
    return content.withLock { content in
      let known = content ?? made
      content = known
      return known
    }
  }

  /// The entities, by name where they come from classes, else in the order given.
  public var entities: [Entity] { known.entities }
  /// The entities by name.
  public var entitiesByName: [String: Entity] { known.byName }

  /// Relationships that have several candidates for their other side and so are paired with none, each with its remedy.
  /// A container can be made all the same; look here when an array stays empty. Empty for a schema without classes.
  public var ambiguousRelationships: [String] {
    ModelDescription.reachable(from: types).flatMap { InverseRule.ambiguities(of: $0) }
  }

  /// The name of a class's entity: that of the class, without its module.
  public static func entityName<T: PersistentModel>(for type: T.Type) -> String { ModelDescription.of(type).name }
  /// The entity of a class; nil if the schema does not have it.
  public func entity<T: PersistentModel>(for type: T.Type) -> Entity? {
    entitiesByName[ModelDescription.of(type).name]
  }
}

extension Schema: Hashable {
  /// Whether both have equal versions and equal entities, in any order.
  public static func == (left: Schema, right: Schema) -> Bool {
    left === right || (left.version == right.version && Set(left.entities) == Set(right.entities))
  }
  /// Hashes the version and the entities.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    hasher.combine(Set(entities))
  }
}
