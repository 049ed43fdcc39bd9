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

  private var values: [Register: Assignment] = [:]
  private var registers: [Register] = []
  private var links: [Pair: (change: RecordChange, place: InputPlace)] = [:]
  private var pairs: [Pair] = []

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

  /// Notes what a list says of a record. Null stands for a record that is left out: what another line says of its place
  /// counts then.
  ///
  /// Returns whether it says more than `own`, what the record's own line states. Throws if the two disagree.
  mutating func assign(
    _ value: FieldValue, to register: Register, place: InputPlace, beside own: (value: FieldValue, place: InputPlace)?
  ) throws(InspectionError) -> Bool {
    if let own {
      if value == .null || own.value == value { return false }
      throw LinkStatements.contradiction(place, own.place)
    }
    if let other = values[register] {
      if value == .null || other.value == value { return true }
      guard other.value == .null else { throw LinkStatements.contradiction(place, other.place) }
    } else {
      registers.append(register)
    }
    values[register] = Assignment(value: value, place: place)
    return true
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
