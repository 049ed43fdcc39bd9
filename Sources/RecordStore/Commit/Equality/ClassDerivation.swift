import LMDB

/// Works out the alias classes that a commit's changes concern, from what records held.
///
/// Classes are the least solution: records are one if claims join them (``ClaimPairs``), and a key that contains
/// a reference is compared by the class of its target. It begins with every record on its own whose claims have
/// changed, and with all that shared a class with it, so a class comes apart as easily as it grows. A holder
/// of a key with a reference into a class that changes is worked out anew after it.
///
/// Cost: for a record without history, one look-up in each unique index, as a local save has it too.
final class ClassDerivation {
  private let session: CommitSession
  private var places: [RecordKey: Int] = [:]
  private var keys: [RecordID: RecordKey] = [:]
  private var hasUnited = false
  private(set) var groups: [[RecordKey]] = []
  private var queue: [RecordKey] = []
  private var queued: Set<RecordKey> = []
  private var resets: [RecordKey: Int] = [:]
  private var claims: [RecordKey: [Int: [HeldClaim]]] = [:]
  private lazy var pairs = makePairs()
  /// Keys and references of the records whose claims this commit changes.
  private var held: [ClaimKey: [RecordKey]] = [:]
  private var referring: [RecordID: [RecordKey]] = [:]
  /// Where claims depend on each other in a circle, groups are taken apart only so often.
  private static let maximumResets = 256

  init(_ session: CommitSession) { self.session = session }

  func run(_ changed: [RecordKey]) throws {
    for key in changed { try note(key) }
    for key in changed { try open(key) }
    while let key = queue.popLast() {
      queued.remove(key)
      try probe(key)
    }
  }

  /// Whether the author of `later` knew that two records of one class are one.
  func wereOne(_ first: RecordID, _ second: RecordID, of entity: EntityNumber, for later: Stamp) throws -> Bool {
    var visited: Set<RecordKey> = []
    return try pairs.wereOne(first, second, of: entity, for: later, &visited)
  }

  private func note(_ key: RecordKey) throws {
    for position in session.layout.rules[key.entity].uniquePositions {
      for claim in try claims(of: key, session.layout.rules[key.entity].indexes[position].index) {
        held[claim.key, default: []].append(key)
        for target in claim.references { referring[target, default: []].append(key) }
      }
    }
  }

  private func claims(of key: RecordKey, _ index: CatalogueIndex) throws -> [HeldClaim] {
    if let known = claims[key]?[index.number] { return known }
    guard let member = try session.member(key) else { return [] }
    let found = HeldClaim.all(of: member.facts, member.past, index, session.layout.rules[key.entity].entity)
    claims[key, default: [:]][index.number] = found
    return found
  }
}

// Groups.
extension ClassDerivation {
  /// Takes a record, and the others of its class, out of the class.
  private func open(_ key: RecordKey) throws {
    if let place = places[key] { return try takeApart(place) }
    let stored = try session.storedClass(of: key)
    let members = stored.isShared ? stored.members.map { RecordKey(entity: key.entity, id: $0) } : [key]
    for member in members { add([member]) }
    for member in members { enqueue(member) }
    if stored.isShared { try openHolders(of: members) }
  }

  private func add(_ members: [RecordKey]) {
    for member in members {
      places[member] = groups.count
      keys[member.id] = member
    }
    groups.append(members)
  }

  private func enqueue(_ key: RecordKey) {
    if queued.insert(key).inserted { queue.append(key) }
  }

  private func takeApart(_ place: Int) throws {
    let members = groups[place]
    guard members.count > 1, resets[members[0], default: 0] < ClassDerivation.maximumResets else {
      for member in members { enqueue(member) }
      return
    }
    for member in members { resets[member, default: 0] += 1 }
    groups[place] = []
    for member in members { add([member]) }
    for member in members { enqueue(member) }
    try openHolders(of: members)
  }

  /// The keys of records that refer to these must be compared anew.
  private func openHolders(of targets: [RecordKey]) throws {
    guard session.terms.mutation != .keyNotModuloAlias else { return }
    for target in targets {
      for holder in try session.claimants(referringTo: target) { try open(holder) }
      for holder in referring[target.id] ?? [] { try open(holder) }
    }
  }

  private func unite(_ left: RecordKey, _ right: RecordKey) throws {
    guard let first = places[left], let second = places[right], first != second else { return }
    let members = groups[first] + groups[second]
    for member in groups[second] { places[member] = first }
    groups[first] = members.sorted { $0.id < $1.id }
    groups[second] = []
    hasUnited = true
    try openHolders(of: members)
  }

  /// Takes a class as it is: none of its members' claims have changed.
  private func adopt(_ key: RecordKey) throws {
    guard places[key] == nil else { return }
    add(try session.storedClass(of: key).members.map { RecordKey(entity: key.entity, id: $0) })
  }
}

// Comparing.
extension ClassDerivation {
  private func probe(_ key: RecordKey) throws {
    for position in session.layout.rules[key.entity].uniquePositions {
      let index = session.layout.rules[key.entity].indexes[position].index
      for claim in try claims(of: key, index) {
        for other in try candidates(for: claim, index, of: key.entity) where other != key {
          try adopt(other)
          guard places[key] != places[other], try pairs.join(key, other, index) else { continue }
          try unite(key, other)
        }
      }
    }
  }

  /// The present and former holders of the key, under any spelling of its references.
  private func candidates(for claim: HeldClaim, _ index: CatalogueIndex, of entity: EntityNumber) throws -> [RecordKey]
  {
    var found: [RecordKey] = []
    var rows: Set<ClaimKey> = []
    for spelling in try spellings(of: claim, index) {
      found += held[spelling.written] ?? []
      found += try session.holders(everOf: spelling.written, entity)
      if rows.insert(spelling.stored).inserted { found += try session.storedHolders(of: spelling.stored, entity) }
    }
    var seen: Set<RecordKey> = []
    return found.filter { seen.insert($0).inserted }
  }

  /// A key under each id that its references may be written with, and as stored rows spell that.
  private func spellings(
    of claim: HeldClaim, _ index: CatalogueIndex
  ) throws -> [(written: ClaimKey, stored: ClaimKey)] {
    guard !claim.references.isEmpty, session.side.hasAliases || hasUnited else {
      return [(claim.key, claim.key)]
    }
    guard session.terms.mutation != .keyNotModuloAlias else { return [(claim.key, claim.key)] }
    var spellings: [[HeldClaim.Component]] = [[]]
    for (position, component) in claim.components.enumerated() {
      var variants = [component]
      if case .reference(let id) = component { variants = try ids(of: id, index, position).map { .reference($0) } }
      spellings = spellings.flatMap { prefix in variants.map { prefix + [$0] } }
    }
    return try spellings.map { written in
      let stored = try written.map { component -> HeldClaim.Component in
        guard case .reference(let id) = component else { return component }
        return .reference(try session.storedCanonical(id))
      }
      return (key(written, index), key(stored, index))
    }
  }

  private func key(_ components: [HeldClaim.Component], _ index: CatalogueIndex) -> ClaimKey {
    var encoder = KeyEncoder()
    for (component, place) in zip(components, index.components) {
      switch component {
      case .reference(let id): encoder.append(.reference(id), isDescending: place.isDescending)
      case .value(let bytes): (place.isDescending ? bytes.map { ~$0 } : bytes).withRawBytes { encoder.append(raw: $0) }
      }
    }
    encoder.cut(to: index.keyLimit)
    return ClaimKey(index: index.number, bytes: encoder.bytes)
  }

  /// The ids that name the record which `id` names.
  private func ids(of id: RecordID, _ index: CatalogueIndex, _ position: Int) throws -> [RecordID] {
    let rules = session.layout.rules.first { $0.entity.indexes.contains { $0.number == index.number } }
    let targets = rules?.reference(at: index.components[position].ordinal)?.targets ?? []
    var found: Set<RecordID> = [id]
    for entity in targets {
      let root = try session.memberKey(RecordKey(entity: entity, id: id))
      for member in try members(root.id, entity) {
        found.insert(member.id)
        for (folded, into) in try session.storedClass(of: member).folded where into == member.id {
          found.insert(folded)
        }
      }
    }
    return found.sorted()
  }

  private func members(_ id: RecordID, _ entity: EntityNumber) throws -> [RecordKey] {
    let key = RecordKey(entity: entity, id: id)
    if let place = places[key] { return groups[place] }
    return try session.storedClass(of: key).members.map { RecordKey(entity: entity, id: $0) }
  }

  private func makePairs() -> ClaimPairs {
    ClaimPairs(
      rules: session.layout.rules, claims: { [unowned self] in try claims(of: $0, $1) },
      deleted: { [session] in try session.member($0)?.facts.deleted },
      knew: { [session] in try session.knew($0, whoWrote: $1) }, members: { [unowned self] in try members($0, $1) },
      canonical: { [unowned self] in try canonical($0) },
      root: { [session] in try session.memberKey(RecordKey(entity: $1, id: $0)).id },
      isModuloAlias: session.terms.mutation != .keyNotModuloAlias)
  }

  /// As classes stand now.
  private func canonical(_ id: RecordID) throws -> RecordID {
    if let key = keys[id], let place = places[key] { return groups[place][0].id }
    let stored = try session.storedCanonical(id)
    guard let row = keys[stored] else { return stored }
    // An id that an earlier build joined for good goes with the record that has its facts.
    let key = try session.memberKey(RecordKey(entity: row.entity, id: id))
    return places[key].map { groups[$0][0].id } ?? stored
  }
}
