/// The rules of one entity for a commit, worked out once per catalogue instead of once per record.
///
/// A class, for it is looked up several times per record: one reference to count instead of one per array.
final class EntityRules: Sendable {
  let entity: CatalogueEntity
  /// Declared references: the fields whose targets decide what readers see.
  let references: [ReferenceRule]
  /// Declared references of other entities, or this one, that may name a record of this entity.
  let incoming: [Incoming]
  /// Relationships stored on this side, or in a join entity, that delete or protect their destination.
  let outgoing: [ForwardRule]
  let indexes: [IndexKey]
  let draft: DraftLayout
  /// Positions in ``indexes`` of the unique ones.
  let uniquePositions: [Int]
  /// Fields that are part of a unique key.
  let uniqueOrdinals: Set<Int>
  /// For each field that belongs to one: its group.
  let groups: [Int: [Int]]
  /// Whether deleting a record may delete others by a rule stored on the deleted side, at any depth.
  let cascadesForward: Bool
  /// Whether records of the entity can take a one-to-one target from each other.
  let isExclusiveHolder: Bool
  /// Fields that decide which of several records is seen, where losses of one-to-one targets and unique values by
  /// records of the entity can depend on each other in a circle.
  let contendingOrdinals: [Int]
  /// The fields of ``references``.
  let referenceOrdinals: [Int]
  /// By ordinal, whether another value of the field asks nothing of any rule.
  let isPlain: [Bool]
  /// Fields whose values history keeps when a record goes.
  let preservedFields: [CatalogueField]
  /// Whether records of the entity can go without a question but those that ``LeavingRecords`` asks.
  let goesPlainly: Bool
  /// Whether a rule of deny can stand against the end of a record of the entity.
  let hasDeny: Bool

  struct Incoming: Sendable {
    let holder: EntityNumber
    let rule: ReferenceRule
  }

  private init(
    _ entity: CatalogueEntity, references: [ReferenceRule], incoming: [Incoming], outgoing: [ForwardRule],
    cascadesForward: Bool
  ) {
    self.entity = entity
    self.references = references
    self.incoming = incoming
    self.outgoing = outgoing
    self.cascadesForward = cascadesForward
    indexes = entity.indexes.map { IndexKey($0, of: entity) }
    draft = DraftLayout(entity)
    uniquePositions = entity.indexes.indices.filter { entity.indexes[$0].isUnique }
    uniqueOrdinals = Set(entity.indexes.filter(\.isUnique).flatMap { $0.components.map(\.ordinal) })
    isExclusiveHolder = references.contains(where: \.isExclusive)
    let deciding = references.filter { [uniqueOrdinals] in $0.hides || uniqueOrdinals.contains($0.ordinal) }
    let contestCount = uniquePositions.count + deciding.filter(\.isExclusive).count
    // The losses of one thing alone lead to ever later claims on it.
    let isContender = contestCount > 1 || contestCount == 1 && !deciding.isEmpty
    contendingOrdinals = isContender ? uniqueOrdinals.union(deciding.map(\.ordinal)).sorted() : []
    referenceOrdinals = references.map(\.ordinal)
    preservedFields = entity.fields.filter(\.preservesValueOnDeletion)
    goesPlainly =
      entity.isDeclared && !cascadesForward && outgoing.isEmpty && !references.contains(where: \.needsCare)
      && !incoming.contains(where: \.rule.needsCare)
    hasDeny = outgoing.contains { !$0.isCascade } || incoming.contains(where: \.rule.isDeny)
    let groups = Dictionary(
      entity.fieldGroups.flatMap { group in group.map { ($0, group) } }, uniquingKeysWith: { first, _ in first })
    self.groups = groups
    let uniqueOrdinals = uniqueOrdinals
    isPlain = entity.fields.indices.map { ordinal in
      entity.fields[ordinal].isDeclared && entity.fields[ordinal].type != .reference
        && !uniqueOrdinals.contains(ordinal) && groups[ordinal] == nil
    }
  }

  /// Whether a value is none where one must be.
  func isMissing(_ write: FieldWrite) -> Bool { write.value == .null && !entity.fields[write.ordinal].isOptional }

  /// Whether values for some fields decide along with which other records a record goes.
  func moves(_ fields: [FieldWrite]) -> Bool {
    references.contains { rule in rule.hides && fields.contains { $0.ordinal == rule.ordinal } }
  }

  /// Whether a field says which other record a delete of this one takes along, or asks for.
  func isFollowedByDelete(_ ordinal: Int) -> Bool { outgoing.contains { $0.storage == .reference(ordinal: ordinal) } }

  /// Whether a loss of a record can depend on itself.
  var isContender: Bool { !contendingOrdinals.isEmpty }

  /// Whether a reference is part of a unique key.
  var hasUniqueReference: Bool { references.contains { uniqueOrdinals.contains($0.ordinal) } }

  /// Whether what became of a record can hang on others.
  var dependsOnOthers: Bool { references.contains { $0.hides || $0.isExclusive } }

  func reference(at ordinal: Int) -> ReferenceRule? { references.first { $0.ordinal == ordinal } }
}

/// One reference field as a rule: what its target's end means for the holder, and the other way round.
struct ReferenceRule: Hashable, Sendable {
  let ordinal: Int
  /// The destination and the entities that inherit from it.
  let targets: [EntityNumber]
  /// Not optional: without a visible target the holder is invisible.
  let isRequired: Bool
  /// The target's side declares cascade: the holder goes with its target, and its activity keeps the target.
  let isCascade: Bool
  /// Under a cascade that can lead back to the holder's entity: the holder is part of its target.
  var isContaining = false
  /// The target's side declares deny: a living holder protects its target.
  let isDeny: Bool
  /// One-to-one: of several holders the last to write it has it.
  let isExclusive: Bool
  /// How many holders one target may have; 0: no limit.
  let minimumCount: Int
  let maximumCount: Int
  /// The position among the holder's indexes of one that begins with this field.
  let indexPosition: Int
  /// The relationship that counts holders, as `Entity.property`, for messages.
  var counting = ""
  /// The holder's own relationship needs a target, and a record without one is shown nevertheless.
  var needsTarget = false

  /// Whether an invisible target hides the holder.
  var hides: Bool { isRequired || isCascade }
  var countsHolders: Bool { minimumCount > 0 || maximumCount > 0 }
  /// Whether the end of a holder or a target asks for more than taking the reference out.
  fileprivate var needsCare: Bool { isExclusive || isContaining || countsHolders }
}

/// A delete rule of the deleted side: the destination is deleted too, or forbids the delete.
struct ForwardRule: Hashable, Sendable {
  let relationship: String
  let isCascade: Bool
  let storage: CatalogueRelationship.Storage
  let targets: [EntityNumber]
}

extension EntityRules {
  /// The rules of every entity of a catalogue, by number.
  static func all(of catalogue: Catalogue) -> [EntityRules] {
    let references = containing(catalogue.entities.map { EntityRules.references(of: $0, in: catalogue) })
    let outgoing = catalogue.entities.map { EntityRules.outgoing(of: $0, in: catalogue) }
    let incoming = catalogue.entities.map { entity in
      references.enumerated().flatMap { holder, rules in
        rules.filter { $0.targets.contains(entity.number) }.map { Incoming(holder: holder, rule: $0) }
      }
    }
    let cascading = forwardCascades(outgoing, incoming)
    return catalogue.entities.map { entity in
      EntityRules(
        entity, references: references[entity.number], incoming: incoming[entity.number],
        outgoing: outgoing[entity.number], cascadesForward: cascading.contains(entity.number))
    }
  }

  /// Marks the references under cascades that can lead back to where they start.
  private static func containing(_ references: [[ReferenceRule]]) -> [[ReferenceRule]] {
    let above = references.map { Set($0.filter(\.isCascade).flatMap(\.targets)) }
    func leads(_ start: Set<EntityNumber>, to end: EntityNumber) -> Bool {
      var reached = start
      while !reached.contains(end) {
        let more = reached.union(reached.flatMap { above[$0] })
        if more == reached { return false }
        reached = more
      }
      return true
    }
    return references.enumerated().map { holder, rules in
      rules.map { rule in
        var rule = rule
        rule.isContaining = rule.isCascade && leads(Set(rule.targets), to: holder)
        return rule
      }
    }
  }

  /// A forward cascade reaches an entity's deletes directly or through the entities that go with it.
  private static func forwardCascades(_ outgoing: [[ForwardRule]], _ incoming: [[Incoming]]) -> Set<EntityNumber> {
    var found = Set(outgoing.indices.filter { outgoing[$0].contains(where: \.isCascade) })
    while true {
      let more = incoming.indices.filter { number in
        !found.contains(number) && incoming[number].contains { $0.rule.hides && found.contains($0.holder) }
      }
      if more.isEmpty { return found }
      found.formUnion(more)
    }
  }

  private static func references(of entity: CatalogueEntity, in catalogue: Catalogue) -> [ReferenceRule] {
    guard entity.isDeclared else { return [] }
    return entity.fields.compactMap { field in
      guard field.isDeclared, let destination = field.destination,
        let position = entity.indexes.firstIndex(where: { $0.components.first == .init(ordinal: field.ordinal) })
      else { return nil }
      let own = entity.relationships.first { $0.storage == .reference(ordinal: field.ordinal) }
      let inverse = catalogue.entities.lazy.flatMap(\.relationships).first {
        $0.storage == .inverse(entity: entity.number, ordinal: field.ordinal)
      }
      // The counts of a join's side are those of the many-to-many relationship that sees it as near.
      let counted = inverse ?? joined(entity.number, field.ordinal, in: catalogue)
      let isOneToOne = own != nil && inverse.map { !$0.isToMany } ?? false
      return ReferenceRule(
        ordinal: field.ordinal, targets: catalogue.numbers(of: destination), isRequired: !field.isOptional,
        isCascade: inverse?.deleteRule == .cascade, isDeny: inverse?.deleteRule == .deny,
        isExclusive: isOneToOne, minimumCount: counted?.minimumCount ?? 0, maximumCount: counted?.maximumCount ?? 0,
        indexPosition: position, counting: counted.map { "\(destination).\($0.name)" } ?? "",
        needsTarget: field.isOptional && own.map { $0.minimumCount > 0 } ?? false)
    }
  }

  private static func joined(
    _ entity: EntityNumber, _ ordinal: Int, in catalogue: Catalogue
  ) -> CatalogueRelationship? {
    catalogue.entities.lazy.flatMap(\.relationships).first {
      if case .join(entity, ordinal, _) = $0.storage { true } else { false }
    }
  }

  private static func outgoing(of entity: CatalogueEntity, in catalogue: Catalogue) -> [ForwardRule] {
    guard entity.isDeclared else { return [] }
    return entity.relationships.compactMap { relationship in
      let isDeny = relationship.deleteRule == .deny
      let isNeeded = isNeeded(relationship, of: entity, in: catalogue)
      guard relationship.deleteRule == .cascade || isDeny || isNeeded else { return nil }
      // A link that the other side stores is derived from the facts; see Visibility.
      if case .inverse = relationship.storage { return nil }
      return ForwardRule(
        relationship: relationship.name, isCascade: !isDeny, storage: relationship.storage,
        targets: catalogue.numbers(of: relationship.destination))
    }
  }

  /// Whether the other side of a one-to-one that is stored here cannot be without this one.
  private static func isNeeded(
    _ relationship: CatalogueRelationship, of entity: CatalogueEntity, in catalogue: Catalogue
  ) -> Bool {
    guard case .reference(let ordinal) = relationship.storage else { return false }
    return catalogue.entities.lazy.filter(\.isDeclared).flatMap(\.relationships).contains { other in
      other.storage == .inverse(entity: entity.number, ordinal: ordinal) && !other.isToMany && !other.isOptional
    }
  }
}

extension Catalogue {
  /// The number of an entity and of all that inherit from it.
  package func numbers(of name: String) -> [EntityNumber] {
    guard let entity = entity(named: name) else { return [] }
    return [entity.number] + entities.filter { $0.superentity == name }.flatMap { numbers(of: $0.name) }
  }
}
