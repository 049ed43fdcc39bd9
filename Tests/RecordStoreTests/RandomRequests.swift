import Foundation
import RecordStore
import TestSupport

/// Requests in which most is plain, and whatever is not turns up now and then.
struct RandomRequests {
  let names: FixtureNames
  private var ids: [String: [RecordID]] = [:]
  private var nextID: UInt64 = 1
  /// Whether the request being made may have anything unusual.
  private var isOdd = false

  init(names: FixtureNames) { self.names = names }

  mutating func next(_ generator: inout SeededGenerator, _ replica: Int) -> SaveRequest {
    let author = generator.oneIn(3) ? "somebody" : nil
    var work = LocalWork()
    let count = generator.oneIn(8) ? 40 : Int.random(in: 1...5, using: &generator)
    isOdd = generator.oneIn(3)
    let kind = Int.random(in: 0..<6, using: &generator)
    for _ in 0..<count {
      if isOdd, generator.oneIn(4), let change = special(&generator) {
        work.changes.append(change)
      } else if kind == 0 {
        // As many as an app would delete at a time.
        if work.changes.count < 3, let change = delete(&generator) { work.changes.append(change) }
      } else if kind < 4 || generator.oneIn(2) {
        work.changes.append(insert(&generator, replica))
      } else if let change = update(&generator) {
        work.changes.append(change)
      }
    }
    // As a context gives them.
    if generator.oneIn(2) { work.giveUpdatesAsEdits() }
    var request = SaveRequest(author: author, .save(work))
    if generator.oneIn(10) { request.attachments = [.init(key: [1, 2], value: [UInt8(nextID % 200)])] }
    return request
  }

  /// The records of a refused save are not there.
  mutating func takeBack(_ before: RandomRequests) { ids = before.ids }

  /// Records that became others are not there.
  mutating func forget(_ gone: some Sequence<RecordID>) {
    let gone = Set(gone)
    for entity in ids.keys { ids[entity]?.removeAll(where: gone.contains) }
  }

  /// A save of new and changed records of which rules look at some: taken values, records that were there, odd fields,
  /// deletes with what goes along, links.
  mutating func nextDivided(_ generator: inout SeededGenerator, _ replica: Int) -> SaveRequest {
    var work = LocalWork()
    let oddness = generator.pick([4, 10, 25])
    let deletes = generator.oneIn(2)
    for _ in 0..<Int.random(in: 5...40, using: &generator) {
      isOdd = generator.oneIn(oddness)
      if deletes, generator.oneIn(12) {
        if let change = generator.oneIn(3) ? special(&generator) : delete(&generator) { work.changes.append(change) }
      } else if !generator.oneIn(3) {
        work.changes.append(insert(&generator, replica))
        // Another record gets, or asks for, one of its values.
        if case .insert(let entity, let id, let fields) = work.changes.last, generator.oneIn(2 * oddness) {
          let other = RecordID(high: id.high, low: id.low ^ 1 << 40)
          work.changes.insert(
            .insert(entity: entity, id: other, fields: fields),
            at: Int.random(in: 0...work.changes.count, using: &generator))
        }
      } else if let change = update(&generator) {
        work.changes.append(change)
      }
    }
    // As a context gives them: deletes first, and new values behind them.
    if deletes, generator.oneIn(2) { work.changes.sort { $0.rankInContext < $1.rankInContext } }
    work.dropsUpdatesOfLeaving = deletes && generator.oneIn(2)
    if generator.oneIn(2) { work.giveUpdatesAsEdits() }
    if generator.oneIn(2) { work.giveInsertsAsDrafts(names) }
    return SaveRequest(.save(work))
  }

  private mutating func insert(_ generator: inout SeededGenerator, _ replica: Int) -> RecordChange {
    var entities = ["Sample", "Sample", "City", "Album", "Photo", "Photo", "Caption", "Tag"]
    if isOdd { entities += ["Stop", "Trip", "Pass", "Note"] }
    let entity = generator.pick(entities)
    // Mostly rising; sometimes one between others, or that of a record that was there.
    nextID += UInt64.random(in: 2...4, using: &generator)
    var number = nextID
    if isOdd, generator.oneIn(6) { number -= 1 }
    if entity == "Caption", isOdd { number -= UInt64.random(in: 0...20, using: &generator) % nextID }
    // No two records have one id, whatever they are.
    let kind = UInt64(names.entity(entity))
    let id = fixtureID((number * 2 + UInt64(replica)) * 32 + kind)
    ids[entity, default: []].append(id)
    var values = values(entity, &generator)
    // Mostly what a record cannot be without is there.
    for (name, target) in [("photo", "Photo"), ("trip", "Trip")] where values[name] == .null {
      if let id = known(target, &generator), !generator.oneIn(9) { values[name] = .reference(id) }
    }
    guard case .insert(let number, _, var fields) = names.insert(entity, id, values) else {
      preconditionFailure("an insert was made")
    }
    if isOdd, generator.oneIn(20) { fields.shuffle(using: &generator) }
    if isOdd, generator.oneIn(20), let first = fields.first { fields.append(first) }
    if isOdd, generator.oneIn(20), !fields.isEmpty { fields[0].value = .bool(false) }
    return .insert(entity: number, id: id, fields: fields)
  }

  private func update(_ generator: inout SeededGenerator) -> RecordChange? {
    let entity = generator.pick(
      isOdd ? ["Sample", "City", "Stop", "Trip", "Note", "Photo"] : ["Sample", "Album", "Caption"])
    guard let id = known(entity, &generator) else { return nil }
    let unique = isOdd ? [] : ["code", "name", "city", "photo"]
    let fields = values(entity, &generator).filter { !unique.contains($0.key) }.sorted { $0.key < $1.key }
    let chosen = fields.shuffled(using: &generator).prefix(Int.random(in: 1...3, using: &generator))
    return names.update(entity, id, Dictionary(uniqueKeysWithValues: chosen.map { ($0.key, $0.value) }))
  }

  private func special(_ generator: inout SeededGenerator) -> RecordChange? {
    if generator.oneIn(3), let trip = known("Trip", &generator), let tag = known("Tag", &generator) {
      return names.link("Trip", trip, "tags", tag, generator.oneIn(2))
    }
    return delete(&generator)
  }

  private func delete(_ generator: inout SeededGenerator) -> RecordChange? {
    let entity = generator.pick(
      isOdd ? ["Sample", "City", "Stop", "Trip", "Note"] : ["Album", "Album", "Photo", "Caption"])
    return known(entity, &generator).map { names.delete(entity, $0) }
  }

  private func known(_ entity: String, _ generator: inout SeededGenerator) -> RecordID? {
    ids[entity, default: []].suffix(12).randomElement(using: &generator)
  }

  private func reference(_ entity: String, _ generator: inout SeededGenerator) -> FieldValue {
    guard !generator.oneIn(4), let id = known(entity, &generator) else { return .null }
    return .reference(id)
  }

  private func values(_ entity: String, _ generator: inout SeededGenerator) -> [String: FieldValue] {
    let letter = generator.pick(["a", "b", "c", "\u{e9}", "e\u{301}", ""])
    let name = FieldValue.string(letter + String(isOdd ? nextID / 6 : nextID))
    switch entity {
    case "Trip": return ["name": name, "rating": .int(Int64.random(in: 0...2, using: &generator))]
    case "Stop":
      return [
        "title": name, "position": .int(Int64.random(in: 0...40, using: &generator)),
        "trip": reference("Trip", &generator), "city": reference("City", &generator),
        "next": reference("Stop", &generator),
      ]
    case "Album": return ["name": name, "rank": .int(Int64.random(in: 0...3, using: &generator))]
    case "Photo":
      return ["code": generator.oneIn(5) ? .null : .int(Int64(nextID)), "album": reference("Album", &generator)]
    case "Caption": return ["text": name, "photo": reference("Photo", &generator)]
    case "Pass": return ["trip": reference("Trip", &generator)]
    case "Note":
      return ["text": name, "x": .double(generator.pick([0, -0.0, .nan, 1])), "~Person.notes": .null]
    case "Sample": return sample(&generator)
    default: return ["name": name]
    }
  }

  private func sample(_ generator: inout SeededGenerator) -> [String: FieldValue] {
    let code = UUID(
      uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, UInt8(nextID >> 8 & 0xFF), UInt8(nextID & 0xFF)))
    var values: [String: FieldValue] = [
      "title": .string(generator.pick(["", "plain", "\u{e9}", "e\u{301}", String(repeating: "x", count: 600)])),
      "amount": .double(generator.pick([0, -0.0, .nan, .infinity, 1.5, -3])),
    ]
    func maybe(_ name: String, _ value: FieldValue) { if !generator.oneIn(3) { values[name] = value } }
    maybe("code", generator.oneIn(9) ? .null : .uuid(code))
    maybe("memo", generator.oneIn(3) ? .null : .string("memo \(nextID)"))
    maybe("number", .int(Int64.random(in: -3...3, using: &generator)))
    maybe("size", .uint(.max))
    maybe("price", .decimal(generator.pick([0, 1.5, -20, Decimal.nan, 12_345_678])))
    maybe(
      "day", generator.oneIn(4) ? .null : .date(Date(timeIntervalSinceReferenceDate: generator.pick([0, -0.0, 5]))))
    maybe("isOn", .bool(generator.oneIn(2)))
    maybe("blob", .data(Data(repeating: 1, count: Int.random(in: 0..<4, using: &generator))))
    maybe("site", .url("https://example.com/\(nextID)"))
    maybe("shape", .composite(Data([1, 2, 3])))
    maybe("city", reference("City", &generator))
    if isOdd, generator.oneIn(20) { values["title"] = nil }
    return values
  }
}

extension RecordChange {
  fileprivate var rankInContext: Int {
    switch self {
    case .delete: 0
    case .insert, .link: 1
    case .update: 2
    }
  }
}

extension LocalWork {
  /// The last ones, behind which nothing stands.
  fileprivate mutating func giveInsertsAsDrafts(_ names: FixtureNames) {
    guard edits.isEmpty else { return }
    var drafts = RecordDrafts()
    let memory = DraftMemory()
    var kept = changes
    for change in changes.reversed() {
      guard case .insert = change else { break }
      kept.removeLast()
    }
    for (place, change) in changes[kept.count...].enumerated() {
      guard case .insert(let entity, let id, let fields) = change else { return }
      let layout = DraftLayout(names.catalogue.entities[entity])
      // Some lie in memory of their own already.
      let lent = place % 3 == 0 ? memory.write(layout) { $0.write(fields) } : nil
      let isAppended =
        lent.map { drafts.append(id, layout, $0.view, in: $0.piece) } ?? drafts.append(id, layout, fields)
      guard isAppended else { return }
    }
    (self.changes, self.drafts) = (kept, drafts)
  }

  /// The last ones, behind which nothing stands.
  fileprivate mutating func giveUpdatesAsEdits() {
    var edits = RecordEdits()
    let isUpdate = changes.map { change in if case .update = change { true } else { false } }
    let start = isUpdate.lastIndex(of: false).map { $0 + 1 } ?? 0
    for case .update(let entity, let id, let fields) in changes[start...] {
      for write in fields { edits.append(write) }
      edits.end(entity, id)
    }
    self.edits = edits
    changes.removeSubrange(start...)
  }
}
