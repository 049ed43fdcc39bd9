import LMDB

/// Makes records one that hold one value of what becomes unique.
///
/// Of each group the smallest id stays, so that two devices that migrate apart keep the same record. It takes the
/// newest value of every field and all that referred to the others, which are deleted: ordinary changes, which reach
/// other devices like any save. The record that stays is touched after the deletes, so it outlives them where the
/// records turn out to be one by the rules of merging.
struct UniqueMerge {
  /// As the store is, without the constraint.
  let layout: StoreLayout
  /// With the constraint.
  let catalogue: Catalogue

  struct Group {
    let entity: EntityNumber
    let kept: RecordID
    let others: [RecordID]
  }

  /// Records that share a value. Throws `incompatibleSchema` where the values would only be equal because they are
  /// all the default of a new property. Reads all records of an entity with a new constraint and holds their keys.
  func groups(_ view: TransactionView) throws -> [Group] {
    var groups: [Group] = []
    for entity in catalogue.entities where isKnown(entity) {
      var roots: [RecordID: RecordID] = [:]
      for index in newConstraints(of: entity) {
        let pairs = try equalRecords(index, entity, view)
        if !pairs.isEmpty { try refuseNewValues(index, entity) }
        for (first, second) in pairs { unite(first, second, &roots) }
      }
      let classes = Dictionary(grouping: roots.keys) { root(of: $0, roots) }
      groups += classes.sorted { $0.key < $1.key }.map { kept, members in
        Group(entity: entity.number, kept: kept, others: members.filter { $0 != kept }.sorted())
      }
    }
    return groups
  }

  /// The changes that keep the records that share a value with deleted ones.
  func survivors(_ snapshot: borrowing StoreSnapshot) throws -> [MigrationWork.Touch] {
    var touches: [MigrationWork.Touch] = []
    for entity in catalogue.entities where isKnown(entity) {
      let indexes = newConstraints(of: entity)
      guard !indexes.isEmpty else { continue }
      touches += try DeletedDuplicates(layout: layout, indexes: indexes, entity: entity).survivors(snapshot)
    }
    return touches
  }

  private func isKnown(_ entity: CatalogueEntity) -> Bool {
    entity.isDeclared && !entity.isJoin && layout.catalogue.entities.indices.contains(entity.number)
      && layout.catalogue.entities[entity.number].isDeclared
  }

  private func newConstraints(of entity: CatalogueEntity) -> [CatalogueIndex] {
    let known = Set(layout.catalogue.entities[entity.number].indexes.map(\.number))
    return entity.indexes.filter { $0.isUnique && !known.contains($0.number) }
  }

  private func equalRecords(
    _ index: CatalogueIndex, _ entity: CatalogueEntity, _ view: TransactionView
  ) throws -> [(RecordID, RecordID)] {
    let key = IndexKey(index, of: entity)
    var encoder = KeyEncoder()
    var holders: [[UInt8]: RecordID] = [:]
    var pairs: [(RecordID, RecordID)] = []
    try view.forEachKey(in: layout.databases.records[entity.number], startingWith: []) { id, bytes in
      guard let id = RecordID(bytes: id), key.encode(RecordView(bytes), id: id, into: &encoder) else { return }
      let value = encoder.bytes
      if let first = holders[value] { pairs.append((first, id)) } else { holders[value] = id }
    }
    return pairs
  }

  private func refuseNewValues(_ index: CatalogueIndex, _ entity: CatalogueEntity) throws {
    let before = layout.catalogue.entities[entity.number].fields
    let new = index.components.map { entity.fields[$0.ordinal] }.first { field in
      guard before.indices.contains(field.ordinal), before[field.ordinal].isDeclared else { return true }
      return before[field.ordinal].isOptional && !field.isOptional
    }
    guard let new else { return }
    throw StoreError(
      .incompatibleSchema,
      "\(entity.name).\(new.name) is unique, and all objects that are there would have its default: give each a value "
        + "of its own in a stage of a migration plan")
  }

  private func root(of id: RecordID, _ roots: [RecordID: RecordID]) -> RecordID {
    var id = id
    while let next = roots[id], next != id { id = next }
    return id
  }

  private func unite(_ first: RecordID, _ second: RecordID, _ roots: inout [RecordID: RecordID]) {
    let (left, right) = (root(of: first, roots), root(of: second, roots))
    let (least, greatest) = (min(left, right), max(left, right))
    roots[least] = least
    roots[greatest] = least
  }
}

// The two requests.
extension UniqueMerge {
  /// Leads everything that refers to the others to the record that stays, and deletes them.
  func deletion(of group: Group, _ snapshot: borrowing StoreSnapshot) throws -> SaveRequest {
    var changes: [RecordChange] = []
    for other in group.others {
      changes += try moves(from: other, to: group, snapshot)
      changes += try detachments(of: other, group.entity, snapshot)
    }
    changes += group.others.map { .delete(entity: group.entity, id: $0) }
    var work = MigrationWork(LocalWork(changes: changes))
    work.leavesTargets = true
    return SaveRequest(author: "migration", .migration(work))
  }

  /// The partners in one-to-one relationships to which the records of a group refer, by ordinal. One that refers to
  /// them instead is led to the record that stays by ``deletion(of:_:)``: on which side a link lies must make no
  /// difference. Throws `incompatibleSchema` where there would be two.
  func partners(of group: Group, _ snapshot: borrowing StoreSnapshot) throws -> [Int: RecordID] {
    let members = [group.kept] + group.others
    var partners: [Int: RecordID] = [:]
    for rule in layout.rules[group.entity].references where rule.isExclusive {
      for id in members {
        guard let partner = try snapshot.row(id, of: group.entity)?.view.reference(at: rule.ordinal),
          !members.contains(partner)
        else { continue }
        guard partners.updateValue(partner, forKey: rule.ordinal) == nil else {
          throw twoPartners(group.entity, layout.catalogue.entities[rule.targets[0]])
        }
      }
    }
    return partners
  }

  /// The newest values, for the record that stays, and its links. `members` as they were before the deletion.
  func adoption(
    by group: Group, _ members: [RecordFacts], _ partners: [Int: RecordID], _ links: [RecordChange]
  ) -> SaveRequest {
    let fields = layout.catalogue.entities[group.entity].fields.filter { $0.isDeclared && !$0.isHidden }
    let containing = Set(layout.rules[group.entity].references.filter(\.isContaining).map(\.ordinal))
    let writes = fields.compactMap { field -> FieldWrite? in
      let registers = members.compactMap { facts in facts.register(at: field.ordinal).map { (facts.id, $0) } }
        .filter { !containing.contains(field.ordinal) || !group.holds($0.1.value) }
      let newest = registers.max { left, right in
        if left.1.isOlder(than: right.1) { return true }
        // The value of the record that was made last counts among values of one save.
        return !right.1.isOlder(than: left.1) && left.0 < right.0
      }
      if let partner = partners[field.ordinal].map({ FieldValue.reference($0) }) {
        let isSaid = newest?.0 == group.kept && newest?.1.value == partner
        return isSaid ? nil : FieldWrite(field.ordinal, partner)
      }
      guard let newest, newest.0 != group.kept else { return nil }
      guard newest.1.value != .null || field.isOptional else { return nil }
      return FieldWrite(field.ordinal, group.redirected(newest.1.value))
    }
    var work = MigrationWork(LocalWork(changes: links))
    if !writes.isEmpty {
      work.save.changes.insert(.update(entity: group.entity, id: group.kept, fields: writes), at: 0)
    }
    work.touches = [MigrationWork.Touch(RecordKey(entity: group.entity, id: group.kept))]
    return SaveRequest(author: "migration", .migration(work))
  }

  private func moves(
    from other: RecordID, to group: Group, _ snapshot: borrowing StoreSnapshot
  ) throws -> [RecordChange] {
    var changes: [RecordChange] = []
    for incoming in layout.rules[group.entity].incoming {
      let holder = layout.catalogue.entities[incoming.holder]
      guard !holder.isJoin else { continue }
      let database = layout.databases.index(holder.indexes[incoming.rule.indexPosition].number)
      let holders = try snapshot.transaction.recordIDs(in: database, startingWith: ReferenceKey.prefix(other))
      guard !holders.isEmpty else { continue }
      if incoming.rule.isExclusive {
        let earlier = [group.kept] + group.others.prefix { $0 != other }
        for id in earlier
        where try !snapshot.transaction.recordIDs(in: database, startingWith: ReferenceKey.prefix(id)).isEmpty {
          throw twoPartners(group.entity, holder)
        }
      }
      let isOwn = { (id: RecordID) in incoming.holder == group.entity && group.others.contains(id) }
      changes += holders.filter { !isOwn($0) }.map { id in
        // Nothing can lie in itself.
        let isInside = id == group.kept && incoming.rule.isContaining && !incoming.rule.isRequired
        return .update(
          entity: incoming.holder, id: id,
          fields: [FieldWrite(incoming.rule.ordinal, isInside ? .null : .reference(group.kept))])
      }
    }
    return changes
  }

  /// Lets go of what a delete of the record would take along.
  private func detachments(
    of other: RecordID, _ entity: EntityNumber, _ snapshot: borrowing StoreSnapshot
  ) throws -> [RecordChange] {
    var changes: [RecordChange] = []
    let definition = layout.catalogue.entities[entity]
    for relationship in definition.relationships {
      if case .reference(let ordinal) = relationship.storage, relationship.deleteRule == .cascade,
        definition.fields[ordinal].isOptional
      {
        changes.append(.update(entity: entity, id: other, fields: [FieldWrite(ordinal, .null)]))
      }
      guard case .join = relationship.storage else { continue }
      for target in try snapshot.related(other, of: entity, relationship: relationship.name) {
        changes.append(link(other, entity, relationship.name, target, isLinked: false))
      }
    }
    return changes
  }

  /// The links of many-to-many relationships that the record takes over.
  func links(for group: Group, _ snapshot: borrowing StoreSnapshot) throws -> [RecordChange] {
    var changes: [RecordChange] = []
    for relationship in layout.catalogue.entities[group.entity].relationships {
      guard case .join = relationship.storage else { continue }
      for other in group.others {
        for target in try snapshot.related(other, of: group.entity, relationship: relationship.name) {
          let target = group.others.contains(target) ? group.kept : target
          changes.append(link(group.kept, group.entity, relationship.name, target, isLinked: true))
        }
      }
    }
    return changes
  }

  private func link(
    _ id: RecordID, _ entity: EntityNumber, _ name: String, _ other: RecordID, isLinked: Bool
  ) -> RecordChange {
    .link(entity: entity, id: id, relationship: name, other: other, isLinked: isLinked)
  }

  private func twoPartners(_ entity: EntityNumber, _ holder: CatalogueEntity) -> StoreError {
    StoreError(
      .incompatibleSchema,
      "records of \(catalogue.entities[entity].name) share a value that the schema declares unique, and more than one "
        + "of them has a \(holder.name), where one is allowed: merge them in a stage of a migration plan")
  }
}

extension UniqueMerge.Group {
  /// Whether a value is a reference to one of the records.
  fileprivate func holds(_ value: FieldValue) -> Bool {
    guard case .reference(let id) = value else { return false }
    return id == kept || others.contains(id)
  }

  /// A reference to a record that goes leads to the one that stays.
  fileprivate func redirected(_ value: FieldValue) -> FieldValue {
    if case .reference(let id) = value, others.contains(id) { return .reference(kept) }
    return value
  }
}

extension RecordFacts.Register {
  func isOlder(than other: RecordFacts.Register) -> Bool {
    isOnce != other.isOnce ? isOnce : stamp < other.stamp
  }
}
