/// Which names of a schema are former ones of others: of the properties of an entity, or of the entities.
///
/// A name is taken over where the schema says so by an original name, and where nobody has it any more: either it is
/// not known, or the one that had it takes another name itself. So names may move on, `a` to `b` and `b` to `c`, in one
/// step. That two change names with each other cannot be told from two that have done so before, as a schema goes on
/// naming the original names: it takes two steps.
struct NameChanges {
  /// By the name that is taken.
  private(set) var formerNames: [String: String] = [:]
  private var given: Set<String> = []

  /// - Parameter isKnown: whether a name was there before.
  init(_ names: [(name: String, originalName: String?)], isKnown: (String) -> Bool) {
    var isSettled = false
    while !isSettled {
      isSettled = true
      for case (let name, let original?) in names where name != original && formerNames[name] == nil {
        guard isKnown(original), !given.contains(original), !isKnown(name) || given.contains(name) else { continue }
        formerNames[name] = original
        given.insert(original)
        isSettled = false
      }
    }
  }

  /// The name before; nil for one that had none, as its name was another's.
  func formerName(of name: String) -> String? { formerNames[name] ?? (given.contains(name) ? nil : name) }
}

extension StoreSchema {
  /// Throws `incompatibleSchema` where a property shall take the name of another one that does not give it away, as two
  /// do that change places. A version whose former one says the same has done so before.
  func requireClearNames(after former: StoreSchema) throws {
    guard version > former.version else { return }
    for definition in entities {
      guard let known = former.entities.first(where: { $0.name == definition.name })?.propertyNameChanges else {
        continue
      }
      func isKnown(_ name: String) -> Bool { known.contains { $0.name == name } }
      let changes = NameChanges(definition.propertyNameChanges, isKnown: isKnown)
      for case (let name, let original?) in definition.propertyNameChanges where name != original {
        guard isKnown(name), isKnown(original), changes.formerNames[name] == nil,
          !known.contains(where: { $0.name == name && $0.originalName == original })
        else { continue }
        throw StoreError(
          .incompatibleSchema,
          "\(definition.name).\(name) takes the place of \(original) and is a property of version \(former.version) "
            + "itself: name it otherwise, or put a version between in which both have other names")
      }
    }
  }
}

extension EntityDefinition {
  /// All properties by name and original name.
  var propertyNameChanges: [(name: String, originalName: String?)] {
    attributes.map { ($0.name, $0.originalName) } + relationships.map { ($0.name, $0.originalName) }
  }

  /// The names of the relationships, as a store has them that had `known` ones.
  func relationshipNameChanges(after known: [CatalogueRelationship]) -> NameChanges {
    NameChanges(relationships.map { ($0.name, $0.originalName) }) { name in known.contains { $0.name == name } }
  }
}

extension EntityDefinition {
  /// The names that devices with earlier versions have for a property, unless another one has them here.
  func namesElsewhere(of property: some Renamable) -> [String] {
    property.formerNames.filter { former in !propertyNameChanges.contains { $0.name == former } }
  }

  /// The name by which the links of its relationships lie: the one that was there first, too.
  var placeName: String { earlierNames?.first ?? originalName ?? name }

  /// The name by which the links of a relationship lie in a hidden reference or in join records: the one that was there
  /// first. One that takes a name which another one gave away has it marked: the links of that one lie there.
  func placeName(of relationship: RelationshipDefinition) -> String {
    if let name = relationship.earlierNames?.first ?? relationship.originalName { return name }
    let isGiven = relationships.contains { $0.originalName == relationship.name }
    return isGiven ? "\(relationship.name)~new" : relationship.name
  }
}

extension StoreSchema {
  /// The names that devices with earlier versions have for an entity, unless another one has them here.
  func namesElsewhere(of entity: EntityDefinition) -> [String] {
    entity.formerNames.filter { former in !entities.contains { $0.name == former } }
  }
}

/// Something with a name that it did not always have.
package protocol Renamable {
  var name: String { get }
  var originalName: String? { get set }
  var earlierNames: [String]? { get set }
}

extension Renamable {
  /// All names before the present one, oldest first: devices with earlier versions have one of them.
  package var formerNames: [String] {
    get { ((earlierNames ?? []) + [originalName].compactMap(\.self)).filter { $0 != name } }
    set {
      originalName = newValue.last
      earlierNames = newValue.count > 1 ? Array(newValue.dropLast()) : nil
    }
  }
}

extension Catalogue {
  func nameChanges(by schema: StoreSchema) -> NameChanges {
    NameChanges(schema.entities.map { ($0.name, $0.originalName) }) { entity(named: $0) != nil }
  }
}

extension CatalogueEntity {
  func nameChanges(by definition: EntityDefinition) -> NameChanges {
    NameChanges(definition.propertyNameChanges) { field(named: $0) != nil }
  }
}
