import LMDB

/// The links of relationships whose place in the store changes with the schema.
///
/// Where links lie follows from the declarations of both sides: in a reference of one side, in a hidden one where there
/// is no inverse, or in join records. So the place changes with an inverse that comes or goes, a to-one that becomes a
/// to-many, or a delete rule of a one-to-one, and the links go along: ordinary changes, which reach other devices like
/// any save.
///
/// The new place may hold links already: from a device that migrated before, or from a time when it was the place. Of
/// both places the one that was written later decides, link by link, and where there is room for one link of several.
///
/// Reads all records that hold such links, in the old place and in the new one, and holds the links in memory.
struct LinkMoves {
  private struct Move {
    /// The entity whose relationship it is.
    let entity: EntityNumber
    let relationship: CatalogueRelationship
    let former: CatalogueRelationship.Storage
    /// Whether a record may have several links, on this side and on the other.
    let (hasMany, isOfMany): (Bool, Bool)
  }
  private var moves: [Move] = []
  private let new: Catalogue

  var isEmpty: Bool { moves.isEmpty }

  /// - Parameter schema: what the second catalogue was made of, with the original names of relationships.
  init(from old: Catalogue, to new: Catalogue, by schema: StoreSchema) {
    self.new = new
    let places = { (catalogue: Catalogue) in
      Set(
        catalogue.entities.filter(\.isDeclared).flatMap { entity in
          entity.relationships.map { LinkPlace($0.storage, of: entity.number) }
        })
    }
    // A place in which links lay is that of a relationship which had it: nothing moves there.
    var taken = places(old)
    for entity in new.entities where entity.isDeclared && old.entities.indices.contains(entity.number) {
      let known = old.entities[entity.number].relationships
      let definition = schema.entities.first { $0.name == entity.name }
      let changes = definition?.relationshipNameChanges(after: known)
      for relationship in entity.relationships {
        let name = changes.map { $0.formerName(of: relationship.name) } ?? relationship.name
        guard let former = known.first(where: { $0.name == name }),
          old.entity(named: former.destination)?.number == new.entity(named: relationship.destination)?.number,
          LinkPlace(former.storage, of: entity.number) != LinkPlace(relationship.storage, of: entity.number),
          taken.insert(LinkPlace(relationship.storage, of: entity.number)).inserted
        else { continue }
        let inverse = relationship.inverse.flatMap {
          new.entity(named: relationship.destination)?.relationship(named: $0)
        }
        moves.append(
          Move(
            entity: entity.number, relationship: relationship, former: former.storage, hasMany: relationship.isToMany,
            isOfMany: inverse?.isToMany ?? !relationship.isToMany))
      }
    }
  }

  /// The changes that bring the links to their new places, for a store that has the second catalogue.
  ///
  /// - Parameters:
  ///   - snapshot: The store with the first catalogue.
  ///   - refuses: Whether links for which there is no room any more are an error. Otherwise they are left out, for the
  ///     app's own code to decide.
  func changes(_ snapshot: borrowing StoreSnapshot, refuses: Bool) throws -> [RecordChange] {
    let (wentBack, former) = (try WayBack(snapshot)?.stamp, try FormerFields(snapshot))
    var changes: [RecordChange] = []
    for move in moves {
      // Links that another device has made in a place that this store never had are none of its own.
      let ended = LinkPlace(move.relationship.storage, of: move.entity).gaveUp(former).flatMap { gaveUp in
        wentBack.map { min($0, gaveUp) }
      }
      let old = try PlacedLinks(move.former, of: move.entity, snapshot)
      let present = try PlacedLinks(move.relationship.storage, of: move.entity, snapshot)
      let wanted = Set(
        old.links.filter { link, stamp in
          present.links[link] != nil || present.stamp(of: link).map { $0 < stamp } ?? true
        }.keys)
      let gone = Set(
        present.links.filter { link, stamp in
          old.links[link] == nil && (old.stamp(of: link) ?? ended).map { stamp < $0 } ?? false
        }.keys)
      let stay = present.links.keys.filter { old.links[$0] == nil && !gone.contains($0) }
      let crowded = self.crowded(wanted, move)
      guard crowded.isEmpty || !refuses else { throw noRoom(for: move) }
      let standing = self.standing(wanted.subtracting(crowded).union(stay), move) { link in
        max(old.links[link] ?? .zero, present.links[link] ?? .zero)
      }
      // A link that is there already is written again where a later one there must give way.
      let beaten = Set(stay).subtracting(standing)
      let (near, far) = (Set(beaten.map(\.near)), Set(beaten.map(\.far)))
      let written = wanted.intersection(standing).filter { link in
        present.links[link] == nil || !move.hasMany && near.contains(link.near)
          || !move.isOfMany && far.contains(link.far)
      }
      changes += gone.sorted().compactMap { change($0, move, isLinked: false) }
      changes += written.sorted().compactMap { change($0, move, isLinked: true) }
    }
    return changes
  }

  /// Whether readers see the records that a change is about.
  static func concernsRecords(_ change: RecordChange, _ snapshot: borrowing StoreSnapshot) throws -> Bool {
    func isSeen(_ id: RecordID, _ name: String) throws -> Bool {
      try snapshot.catalogue.numbers(of: name).contains { try snapshot.record(id, of: $0) != nil }
    }
    switch change {
    case .update(let entity, let id, _): return try snapshot.record(id, of: entity) != nil
    case .link(let entity, let id, let name, let other, _):
      let near = snapshot.catalogue.entities[entity]
      guard let far = near.relationship(named: name)?.destination else { return false }
      return try isSeen(id, near.name) && isSeen(other, far)
    case .insert, .delete: return true
    }
  }

  /// The links of the former place of records that have several where one is allowed: readers see them all, so their
  /// user or the app is to choose.
  private func crowded(_ links: Set<Link>, _ move: Move) -> Set<Link> {
    var crowded: Set<Link> = []
    if !move.hasMany {
      for links in Dictionary(grouping: links, by: \.near).values where links.count > 1 { crowded.formUnion(links) }
    }
    if !move.isOfMany {
      for links in Dictionary(grouping: links, by: \.far).values where links.count > 1 { crowded.formUnion(links) }
    }
    return crowded
  }

  /// The links for which there is room, the latest first: devices that have the new place already may have linked
  /// another record there, which nobody sees here yet.
  private func standing(_ links: Set<Link>, _ move: Move, stamp: (Link) -> Stamp) -> Set<Link> {
    var (standing, near, far): (Set<Link>, Set<RecordID>, Set<RecordID>) = ([], [], [])
    for link in links.sorted(by: { (stamp($0), $0) > (stamp($1), $1) }) {
      guard move.hasMany || !near.contains(link.near), move.isOfMany || !far.contains(link.far) else { continue }
      standing.insert(link)
      near.insert(link.near)
      far.insert(link.far)
    }
    return standing
  }

  /// Nil where the schema allows no record without its link: it is no less true than none.
  private func change(_ link: Link, _ move: Move, isLinked: Bool) -> RecordChange? {
    let (holder, ordinal, id, target): (EntityNumber, Int, RecordID, RecordID)
    switch move.relationship.storage {
    case .join:
      return .link(
        entity: move.entity, id: link.near, relationship: move.relationship.name, other: link.far, isLinked: isLinked)
    case .reference(let place): (holder, ordinal, id, target) = (move.entity, place, link.near, link.far)
    case .inverse(let entity, let place): (holder, ordinal, id, target) = (entity, place, link.far, link.near)
    }
    guard isLinked || new.entities[holder].fields[ordinal].isOptional else { return nil }
    return .update(
      entity: holder, id: id, fields: [FieldWrite(ordinal, isLinked ? .reference(target) : .null)])
  }

  private func noRoom(for move: Move) -> StoreError {
    let name = "\(new.entities[move.entity].name).\(move.relationship.name)"
    let side = move.relationship.inverse.map { " or its inverse \(move.relationship.destination).\($0)" } ?? ""
    return StoreError(
      .incompatibleSchema,
      "\(name)\(side) leads to one record in the schema, and there are records with several: take links away before, "
        + "or choose one in a stage of a migration plan")
  }
}

/// Where links lie: by the entity and the ordinal of the reference, or by the join entity.
private struct LinkPlace: Hashable {
  let entity: EntityNumber
  let ordinal: Int?

  init(_ storage: CatalogueRelationship.Storage, of entity: EntityNumber) {
    switch storage {
    case .reference(let ordinal): (self.entity, self.ordinal) = (entity, ordinal)
    case .inverse(let holder, let ordinal): (self.entity, self.ordinal) = (holder, ordinal)
    case .join(let join, _, _): (self.entity, self.ordinal) = (join, nil)
    }
  }

  /// When the schema gave up the place; nil if it never did. Both fields of a join go together.
  func gaveUp(_ former: FormerFields) -> Stamp? {
    ordinal.map { former.stamps[entity]?[$0] } ?? former.stamps[entity]?.values.max()
  }
}

/// A record of the relationship's own entity, and one of its destination.
private struct Link: Hashable, Comparable {
  let near: RecordID
  let far: RecordID

  static func < (left: Link, right: Link) -> Bool { (left.near, left.far) < (right.near, right.far) }
}

/// The links of one place between records that readers see, and when they were written.
private struct PlacedLinks {
  private(set) var links: [Link: Stamp] = [:]
  /// When the reference of a record was written, also to another one or to none.
  private var written: [RecordID: Stamp] = [:]
  private var holdsNear: Bool?
  /// When a link of join records was taken away.
  private var removed: [Link: Stamp] = [:]

  init(
    _ storage: CatalogueRelationship.Storage, of entity: EntityNumber, _ snapshot: borrowing StoreSnapshot
  ) throws {
    switch storage {
    case .reference(let ordinal): try readReferences(ordinal, of: entity, holdsNear: true, snapshot)
    case .inverse(let holder, let ordinal): try readReferences(ordinal, of: holder, holdsNear: false, snapshot)
    case .join(let join, let near, let far): try readJoins(join, near, far, snapshot)
    }
  }

  /// When this place last said something of a link that it does not have.
  func stamp(of link: Link) -> Stamp? {
    guard let holdsNear else { return removed[link] }
    return written[holdsNear ? link.near : link.far]
  }

  private mutating func readReferences(
    _ ordinal: Int, of entity: EntityNumber, holdsNear: Bool, _ snapshot: borrowing StoreSnapshot
  ) throws {
    self.holdsNear = holdsNear
    guard let fields = snapshot.knownFields(of: entity), fields.indices.contains(ordinal) else { return }
    let isDeclared = fields[ordinal].isDeclared
    let records = snapshot.layout.databases.records[entity]
    var found: [(holder: RecordID, target: RecordID?, stamp: Stamp)] = []
    try snapshot.transaction.forEachKey(in: records, startingWith: []) { id, bytes in
      let record = RecordView(bytes)
      guard let id = RecordID(bytes: id), let stamp = record.stamp(at: ordinal) else { return }
      let target = isDeclared ? record.reference(at: ordinal) : record.registerReference(at: ordinal)
      found.append((id, target, stamp))
    }
    for (holder, target, stamp) in found {
      written[holder] = stamp
      guard let target else { continue }
      links[holdsNear ? Link(near: holder, far: target) : Link(near: target, far: holder)] = stamp
    }
  }

  private mutating func readJoins(
    _ join: EntityNumber, _ near: Int, _ far: Int, _ snapshot: borrowing StoreSnapshot
  ) throws {
    guard snapshot.knownFields(of: join) != nil else { return }
    var found: [(link: Link, stamp: Stamp, isVisible: Bool)] = []
    try snapshot.forEachStoredFacts(of: join) { facts, isVisible in
      guard case .reference(let left)? = facts.register(at: near)?.value,
        case .reference(let right)? = facts.register(at: far)?.value
      else { return }
      let link = Link(near: left, far: right)
      found.append((link, (isVisible ? facts.touch : facts.deleted) ?? .zero, isVisible))
    }
    for (link, stamp, isVisible) in found {
      if isVisible { links[link] = stamp } else { removed[link] = stamp }
    }
  }
}

extension StoreSnapshot {
  /// Nil for an entity that the store does not have yet.
  fileprivate func knownFields(of entity: EntityNumber) -> [CatalogueField]? {
    layout.catalogue.entities.indices.contains(entity) ? layout.catalogue.entities[entity].fields : nil
  }
}
