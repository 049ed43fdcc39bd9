import RecordStore

/// The links that lists of related records in lines ask for: references of other records, and links of many-to-many
/// relationships, each with its place in the input.
struct LinkStatements {
  /// A field of a record.
  struct Register: Hashable {
    let key: RecordKey
    let ordinal: Int
  }

  struct Assignment {
    let value: FieldValue
    let place: InputPlace
  }

  /// A link of a many-to-many relationship, whichever side names it.
  struct Pair: Hashable {
    let join: EntityNumber
    let left: RecordID
    let right: RecordID
  }

  /// The list of one record on one side of a many-to-many relationship.
  struct Side: Hashable {
    let join: EntityNumber
    let near: Int
    let id: RecordID
  }

  private var values: [Register: Assignment] = [:]
  private var registers: [Register] = []
  private var links: [Pair: (change: RecordChange, place: InputPlace)] = [:]
  private var pairs: [Pair] = []
  private var claims: [Register: Assignment] = [:]
  private var claimed: [Register] = []
  private var sides: [Side: (ids: Set<RecordID>, place: InputPlace)] = [:]

  /// In the order in which lines state them.
  var assignments: [(register: Register, assignment: Assignment)] {
    registers.compactMap { register in values[register].map { (register, $0) } }
  }

  /// The changes of records without a line of their own, and of links.
  var changes: [RecordChange] {
    let updates = assignments.map { register, assignment -> RecordChange in
      .update(
        entity: register.key.entity, id: register.key.id, fields: [FieldWrite(register.ordinal, assignment.value)])
    }
    return updates + pairs.compactMap { links[$0]?.change }
  }

  /// Notes that a list has a record, whether the store has it there or not. Throws if the record's own line says
  /// otherwise, or the list of another line.
  mutating func claim(
    _ value: FieldValue, of register: Register, place: InputPlace, beside own: (value: FieldValue, place: InputPlace)?
  ) throws(InspectionError) {
    if let own, own.value != value { throw LinkStatements.contradiction(place, own.place) }
    if let other = claims[register] {
      if other.value != value { throw LinkStatements.contradiction(place, other.place) }
    } else {
      claims[register] = Assignment(value: value, place: place)
      claimed.append(register)
    }
  }

  func claim(of register: Register) -> FieldValue? { claims[register]?.value }

  /// In the order in which lines state them.
  var allClaims: [(register: Register, claim: Assignment)] {
    claimed.compactMap { register in claims[register].map { (register, $0) } }
  }

  /// Notes what a list changes of a record that is claimed, or left out. Null stands for one that is left out: what its
  /// own line says of its place counts then, or another list.
  ///
  /// Returns whether it says more than `own`, what the record's own line states.
  mutating func assign(
    _ value: FieldValue, to register: Register, place: InputPlace, beside own: FieldValue?
  ) -> Bool {
    guard own == nil else { return false }
    if let other = values[register] {
      if value == .null || other.value == value { return true }
    } else {
      registers.append(register)
    }
    values[register] = Assignment(value: value, place: place)
    return true
  }

  /// Notes the position that an ordered list gives a record without a line of its own.
  mutating func assign(_ write: FieldWrite, of key: RecordKey, place: InputPlace) {
    let register = Register(key: key, ordinal: write.ordinal)
    if values.updateValue(Assignment(value: write.value, place: place), forKey: register) == nil {
      registers.append(register)
    }
  }

  /// Notes the list of a line, so that those of the other side can be compared with it.
  mutating func note(_ ids: Set<RecordID>, of side: Side, place: InputPlace) { sides[side] = (ids, place) }

  /// Throws if the list of another line leaves out a link that a line has, or has one that a line leaves out.
  func requireAgreement(on pair: Pair, isLinked: Bool = true, place: InputPlace) throws(InspectionError) {
    for (near, id, other) in [(0, pair.left, pair.right), (1, pair.right, pair.left)] {
      guard let list = sides[Side(join: pair.join, near: near, id: id)], list.place != place else { continue }
      if list.ids.contains(other) != isLinked { throw LinkStatements.contradiction(place, list.place) }
    }
  }

  mutating func remove(_ register: Register) { values[register] = nil }

  /// Notes that a link shall be there, or go. Throws if another line says otherwise.
  mutating func state(_ pair: Pair, _ change: RecordChange, place: InputPlace) throws(InspectionError) {
    guard let other = links[pair] else {
      links[pair] = (change, place)
      pairs.append(pair)
      return
    }
    guard isLinking(other.change) == isLinking(change) else {
      throw LinkStatements.contradiction(place, other.place)
    }
  }

  private func isLinking(_ change: RecordChange) -> Bool {
    if case .link(_, _, _, _, let isLinked) = change { isLinked } else { false }
  }

  static func contradiction(_ place: InputPlace, _ other: InputPlace) -> InspectionError {
    InspectionError(
      .wrongValue, "\(place) links a record in another way than \(other) does; correct one of the two")
  }
}
