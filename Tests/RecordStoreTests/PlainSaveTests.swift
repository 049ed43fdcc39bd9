import Foundation
import RecordStore
import TestSupport
import Testing

/// The short way of a save and the general one, side by side: whatever is asked, both leave the same bytes.
struct PlainSaveTests {
  @Test(arguments: 0..<12)
  func `random saves and merges leave the same bytes by the short way and by the general one`(run: Int) throws {
    var generator = SeededGenerator.announced("PlainSaveTests \(run)")
    // A rule of deny anywhere keeps deletes from the short way.
    let schema = StoreSchema.plainSaves(hasDeny: run % 2 == 0)
    let pair = try TwoWays(schema, uniqueness: run % 3 == 0 ? .throw : .upsert)
    var worker = RandomRequests(names: try FixtureNames(pair.plain.stores[0].store))
    var plainCount = 0
    var plainDeletes = 0
    for _ in 0..<90 {
      let replica = Int.random(in: 0..<2, using: &generator)
      if generator.oneIn(6) { try pair.exchange() }
      let request = worker.next(&generator, replica)
      guard try pair.save(request, on: replica) else { continue }
      plainCount += 1
      if case .save(let work) = request.work, case .delete? = work.changes.first { plainDeletes += 1 }
    }
    // Else the comparison would say nothing.
    #expect(plainCount > 0 && (plainDeletes > 0) == (run % 2 == 1), "\(plainCount), \(plainDeletes) of them deletes")
    try pair.check()
  }

  @Test(arguments: 0..<8)
  func `saves of which rules look at some records leave the bytes of the general way`(run: Int) throws {
    var generator = SeededGenerator.announced("PlainSaveTests divided \(run)")
    let pair = try TwoWays(.plainSaves(hasDeny: run % 2 == 0), uniqueness: run % 4 == 0 ? .throw : .upsert)
    var worker = RandomRequests(names: try FixtureNames(pair.plain.stores[0].store))
    var rounds = 0
    while rounds < 40 || rounds < 400 && pair.last.dividedCount < 3 {
      rounds += 1
      let replica = Int.random(in: 0..<2, using: &generator)
      if generator.oneIn(8) { try pair.exchange() }
      let before = worker
      let request = generator.oneIn(6) ? worker.next(&generator, replica) : worker.nextDivided(&generator, replica)
      _ = try pair.save(request, on: replica)
      if let result = pair.last.result {
        worker.forget(result.remapped.keys)
        // Mostly others are changed.
        if !generator.oneIn(4) { worker.forget(result.changes.lazy.filter { $0.kind == .delete }.map(\.id)) }
      } else {
        worker.takeBack(before)
      }
    }
    // Else the comparison would say nothing. Under the policy that refuses, most of them throw.
    #expect(run % 4 == 0 || pair.last.dividedCount > 2)
    try pair.check()
  }

  @Test func `a large save of drafts leaves the bytes of its inserts`() throws {
    let pair = try TwoWays()
    let names = try FixtureNames(pair.plain.stores[0].store)
    var generator = SeededGenerator.announced()
    let layout = DraftLayout(names.catalogue.entities[names.entity("City")])
    for round in 0..<3 as Range<UInt64> {
      var drafts = RecordDrafts()
      var changes: [RecordChange] = []
      for number in 0..<600 as Range<UInt64> {
        let id = fixtureID(round * 1_000 + number)
        let text = String(repeating: "long beginning ", count: Int.random(in: 0..<60, using: &generator))
        let fields = [FieldWrite(names.ordinal("City", "name"), .string("\(text)\(generator.next())"))]
        let isPlain = drafts.append(id, layout, fields)
        #expect(isPlain)
        changes.append(.insert(entity: names.entity("City"), id: id, fields: fields))
      }
      #expect(drafts.changes == changes)
      var work = LocalWork()
      work.drafts = drafts
      let request = SaveRequest(.save(work))
      let result = try pair.plain.stores[0].store.commit(request)
      #expect(result.isPlain)
      let general = try pair.general.stores[0].store.commit(round == 1 ? request : SaveRequest(changes: changes))
      #expect(!general.isPlain && general.changes == result.changes)
      try pair.expectEqual(0)
    }
    try pair.check()
  }

  @Test func `a draft that is larger than a piece of memory leaves the bytes of its insert`() throws {
    let pair = try TwoWays()
    let names = try FixtureNames(pair.plain.stores[0].store)
    let layout = DraftLayout(names.catalogue.entities[names.entity("City")])
    var work = LocalWork()
    for (number, count) in [10, 200_000, 0, 70_000, 1].enumerated() {
      let fields = [FieldWrite(names.ordinal("City", "name"), .string(String(repeating: "x", count: count)))]
      let isPlain = work.drafts.append(fixtureID(UInt64(number + 1)), layout, fields)
      #expect(isPlain)
    }
    let isPlain = try pair.save(SaveRequest(.save(work)), on: 0)
    #expect(isPlain)
    try pair.check()
  }

  @Test func `drafts that were copied do not write over each other`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      let layout = DraftLayout(names.catalogue.entities[names.entity("City")])
      func append(_ number: UInt64, _ name: String, to drafts: inout RecordDrafts) {
        let isPlain = drafts.append(
          fixtureID(number), layout, [FieldWrite(names.ordinal("City", "name"), .string(name))])
        #expect(isPlain)
      }
      var drafts = RecordDrafts()
      append(1, "one", to: &drafts)
      var copy = drafts
      #expect(copy == drafts)
      append(2, "two", to: &drafts)
      append(2, "deux", to: &copy)
      #expect(copy != drafts && copy.changes != drafts.changes)
      #expect(drafts.changes.last == names.insert("City", fixtureID(2), ["name": .string("two")]))
      #expect(copy.changes.last == names.insert("City", fixtureID(2), ["name": .string("deux")]))
    }
  }

  @Test(arguments: [1, 3, 200]) func `many deletes with what goes along leave the bytes of the general way`(
    share: Int
  ) throws {
    let pair = try TwoWays(.plainSaves(hasDeny: false))
    let names = try FixtureNames(pair.plain.stores[0].store)
    var inserts: [RecordChange] = []
    for number in 0..<600 as Range<UInt64> {
      let album = fixtureID(number * 8)
      inserts.append(names.insert("Album", album, ["name": .string("\(number &* 0x9E37_79B9 % 1_009)")]))
      for code in 1...3 as ClosedRange<UInt64> {
        let fields: [String: FieldValue] = ["album": .reference(album), "code": .int(Int64(code))]
        inserts.append(names.insert("Photo", fixtureID(number * 8 + code), fields))
      }
    }
    _ = try pair.save(SaveRequest(changes: inserts), on: 0)
    var deletes: [RecordChange] = []
    for number in 0..<600 as Range<UInt64> where Int(number) % share == 0 {
      deletes.append(names.delete("Album", fixtureID(number * 8)))
      // Named twice: by itself, and along with its album.
      if number % 2 == 0 { deletes.append(names.delete("Photo", fixtureID(number * 8 + 1))) }
    }
    let isPlain = try pair.save(SaveRequest(changes: deletes), on: 0)
    #expect(isPlain)
    try pair.check()
  }

  @Test func `many deletes of values that deleted records had leave the bytes of the general way`() throws {
    let pair = try TwoWays(.plainSaves(hasDeny: false))
    let names = try FixtureNames(pair.plain.stores[0].store)
    func save(_ count: UInt64, _ change: (UInt64) -> RecordChange) throws -> Bool {
      try pair.save(SaveRequest(changes: (0..<count).map(change)), on: 0)
    }
    func insert(_ count: UInt64, from first: UInt64, name: (UInt64) -> String) throws {
      _ = try save(count) { names.insert("City", fixtureID(first + $0), ["name": .string(name($0))]) }
    }
    try insert(600, from: 1_000) { "first \($0)" }
    var isPlain = try save(600) { names.delete("City", fixtureID(1_000 + $0)) }
    #expect(isPlain)
    try insert(600, from: 2_000) { "second \($0)" }
    isPlain = try save(600) { names.delete("City", fixtureID(2_000 + $0)) }
    #expect(isPlain)
    // A single value that a deleted record would take back if it came to life.
    try insert(600, from: 3_000) { $0 == 400 ? "first 7" : "third \($0)" }
    isPlain = try save(600) { names.delete("City", fixtureID(3_000 + $0)) }
    #expect(!isPlain)
    try pair.check()
  }

  @Test func `a taken unique value in the last of many drafts makes it an update and nothing else`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      try store.save(names.insert("City", fixtureID(1), ["name": .string("taken")]))
      let changes = (2...100 as ClosedRange<UInt64>).map { number in
        names.insert("City", fixtureID(number), ["name": .string(number == 100 ? "taken" : "free \(number)")])
      }
      let result = try store.commit(SaveRequest(changes: changes))
      #expect(!result.isPlain)
      #expect(result.remapped == [fixtureID(100): fixtureID(1)])
      #expect(try store.read { try $0.count(RecordQuery(entity: names.entity("City"))) } == 99)
    }
  }

  /// The order of the request decides which record has a value, and which one a reference means.
  @Test func `a rule that reaches a record which was taken leaves the bytes of the general way`() throws {
    let pair = try TwoWays(.plainSaves(hasDeny: false))
    let names = try FixtureNames(pair.plain.stores[0].store)
    var next: UInt64 = 100
    func new(_ entity: String, _ values: [String: FieldValue]) -> (id: RecordID, change: RecordChange) {
      next += 1
      return (fixtureID(next), names.insert(entity, fixtureID(next), values))
    }
    func filler() -> [RecordChange] { (0..<3).map { _ in new("City", ["name": .string("filler \(next)")]).change } }
    func save(_ changes: [RecordChange]) throws {
      _ = try pair.save(SaveRequest(changes: filler() + changes + filler()), on: 0)
    }
    let known = new("City", ["name": .string("known")])
    let album = new("Album", ["name": .string("album")])
    try save([known.change, album.change])
    for round in 0..<2 {
      let renamed = names.update("City", known.id, ["name": .string("renamed \(round)")])
      let inserted = new("City", ["name": .string("renamed \(round)")]).change
      try save(round == 0 ? [inserted, renamed] : [renamed, inserted])
      #expect((pair.last.result == nil) == (round == 0))
    }
    // The former value of a record that gives it up in the same save.
    for round in 0..<2 {
      let value = FieldValue.string("renamed 1")
      let changes = [
        names.update("City", known.id, ["name": .string("given up \(round)")]), new("City", ["name": value]).change,
      ]
      try save(round == 0 ? changes.reversed() : changes)
    }
    for order in [[0, 1, 2, 3], [1, 0, 2, 3], [2, 0, 1, 3], [2, 1, 0, 3]] {
      let photos = (0..<2).map { _ in
        new("Photo", ["album": .reference(album.id), "code": .int(Int64(next / 10 * 10))])
      }
      let captions = photos.map { new("Caption", ["text": .string("text"), "photo": .reference($0.id)]).change }
      let changes = photos.map(\.change) + captions
      try save(order.map { changes[$0] })
    }
    #expect(pair.last.dividedCount > 3)
    try pair.check()
  }

  /// What goes along with a delete is changed, and gets new records below it, before and after.
  @Test(arguments: [false, true]) func `a delete concerns what goes along with it, and nothing else of the save`(
    dropsUpdates: Bool
  ) throws {
    let pair = try TwoWays(.plainSaves(hasDeny: false))
    let names = try FixtureNames(pair.plain.stores[0].store)
    var next: UInt64 = 100
    func new(_ entity: String, _ values: [String: FieldValue]) -> (id: RecordID, change: RecordChange) {
      next += 1
      return (fixtureID(next), names.insert(entity, fixtureID(next), values))
    }
    let kept = new("Album", ["name": .string("kept")])
    _ = try pair.save(SaveRequest(changes: [kept.change]), on: 0)
    var refusals = 0
    for order in [0, 1, 2, 3].permutations {
      let album = new("Album", ["name": .string("album \(next)")])
      let photo = new("Photo", ["album": .reference(album.id), "code": .int(Int64(next))])
      let caption = new("Caption", ["text": .string("text"), "photo": .reference(photo.id)])
      _ = try pair.save(SaveRequest(changes: [album.change, photo.change, caption.change]), on: 0)
      let steps = [
        names.delete("Album", album.id), names.update("Caption", caption.id, ["text": .string("other")]),
        new("Caption", ["text": .string("late"), "photo": .reference(photo.id)]).change,
        new("Photo", ["album": .reference(album.id), "code": .int(Int64(next))]).change,
      ]
      let fillers = (0..<4).map { _ in new("City", ["name": .string("filler \(next)")]).change }
      let edit = names.update("Album", kept.id, ["rank": .int(Int64(next))])
      var work = LocalWork(changes: fillers + order.map { steps[$0] } + [edit])
      work.dropsUpdatesOfLeaving = dropsUpdates
      _ = try pair.save(SaveRequest(.save(work)), on: 0)
      if let result = pair.last.result { #expect(result.takenCount >= 5) } else { refusals += 1 }
    }
    // An update of what a delete before it takes along.
    #expect(refusals == (dropsUpdates ? 0 : 12))
    try pair.check()
  }

  /// Each delete is judged with what goes along, and for itself.
  @Test func `a delete that nothing else of the save concerns is taken beside the rest`() throws {
    let pair = try TwoWays(.plainSaves(hasDeny: false))
    let names = try FixtureNames(pair.plain.stores[0].store)
    // An album with two photos, each with a caption.
    func album(_ number: UInt64) -> [RecordChange] {
      let base = 100 * number
      let photos = (1...2 as ClosedRange<UInt64>).flatMap { photo in
        [
          names.insert(
            "Photo", fixtureID(base + photo), ["album": .reference(fixtureID(base)), "code": .int(Int64(photo))]),
          names.insert(
            "Caption", fixtureID(base + 10 + photo),
            ["text": .string("\(photo)"), "photo": .reference(fixtureID(base + photo))]),
        ]
      }
      return [names.insert("Album", fixtureID(base), ["name": .string("\(number)")])] + photos
    }
    _ = try pair.save(SaveRequest(changes: (1...60 as ClosedRange<UInt64>).flatMap(album)), on: 0)
    func delete(_ number: UInt64) -> RecordChange { names.delete("Album", fixtureID(100 * number)) }
    var next: UInt64 = 50_000
    func city(_ name: String) -> RecordChange {
      next += 1
      return names.insert("City", fixtureID(next), ["name": .string(name)])
    }
    /// How many records of a save no rule looked at.
    func taken(_ changes: [RecordChange]) throws -> Int? {
      _ = try pair.save(SaveRequest(changes: changes), on: 0)
      return pair.last.result?.takenCount
    }
    #expect(try taken([delete(1), city("one"), delete(2)]) == 11)
    // An update, a new record below and a link below keep the rules at one album.
    let update = names.update("Caption", fixtureID(411), ["text": .string("other")])
    #expect(try taken([delete(3), delete(4), city("two"), update]) == nil)
    #expect(try taken([delete(3), update, delete(4), city("two")]) == 6)
    let photo = names.insert("Photo", fixtureID(599), ["album": .reference(fixtureID(600)), "code": .int(9)])
    #expect(try taken([delete(5), photo, delete(6)]) == 5)
    #expect(try taken([delete(7), names.delete("Photo", fixtureID(701)), city("three")]) == 6)
    // Named twice, and one that is not there.
    #expect(try taken([delete(8), delete(8), city("four"), delete(1)]) == 6)
    // The value of a record that goes is free, before and after.
    let same = [names.insert("Album", fixtureID(90_001), ["name": .string("9")]), delete(9)]
    #expect(try taken(same.reversed() + [delete(10), city("five")]) == 6)
    #expect(
      try taken([delete(11)] + [names.insert("Album", fixtureID(90_002), ["name": .string("12")]), delete(12)]) == 5)
    // A record that the save makes.
    #expect(try taken(album(70) + [delete(70), delete(13), city("six")]) == 6)
    // Places for what would go along, and a photo that moves from one album that goes to another.
    let moved = names.update("Photo", fixtureID(1_401), ["album": .reference(fixtureID(1_500))])
    #expect(try taken([moved, delete(14), delete(15), delete(16), city("seven")]) == 6)
    // An invisible record waits for the value of one that goes.
    let waiting = names.insert("Album", fixtureID(90_003), ["name": .string("1")])
    #expect(try taken([waiting]) != nil)
    #expect(try taken([names.delete("Album", fixtureID(90_003)), delete(17), city("eight")]) == 6)
    try pair.exchange()
    try pair.check()
  }

  @Test func `a link concerns the records that it names, and nothing else of the save`() throws {
    let pair = try TwoWays()
    let names = try FixtureNames(pair.plain.stores[0].store)
    let (trip, tag) = (fixtureID(1), fixtureID(2))
    let cities = (0..<5 as Range<UInt64>).map { names.insert("City", fixtureID(10 + $0), ["name": .string("\($0)")]) }
    let inserts = [
      names.insert("Trip", trip, ["name": .string("trip")]), names.insert("Tag", tag, ["name": .string("tag")]),
    ]
    let isPlain = try pair.save(
      SaveRequest(changes: cities + inserts + [names.link("Trip", trip, "tags", tag, true)]), on: 0)
    #expect(!isPlain && pair.last.result?.takenCount == cities.count)
    let unlinked = SaveRequest(
      changes: [
        names.link("Trip", trip, "tags", tag, false), names.update("City", fixtureID(10), ["name": .string("new")]),
        names.insert("City", fixtureID(20), ["name": .string("20")]),
      ])
    _ = try pair.save(unlinked, on: 0)
    try pair.check()
  }

  @Test func `a record that a rule looks at twice is written once and stays`() throws {
    let pair = try TwoWays(.plainSaves(hasDeny: true))
    let names = try FixtureNames(pair.plain.stores[0].store)
    let (city, trip, stop) = (fixtureID(1), fixtureID(2), fixtureID(3))
    let changes = [
      names.insert("City", city, ["name": .string("")]), names.insert("Trip", trip, ["name": .string("")]),
      names.insert(
        "Stop", stop, ["title": .string(""), "position": .int(1), "city": .reference(city), "trip": .reference(trip)]),
      names.update("Stop", stop, ["trip": .reference(trip)]),
    ]
    _ = try pair.save(SaveRequest(changes: changes), on: 0)
    #expect(pair.last.dividedCount == 1)
    try pair.check()
  }

  @Test func `equal unique values within one save are one record`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      let changes = (1...40 as ClosedRange<UInt64>).map { number in
        names.insert("City", fixtureID(number), ["name": .string("city \(number % 20)")])
      }
      let result = try store.commit(SaveRequest(changes: changes))
      #expect(result.remapped.count == 20)
      #expect(try store.read { try $0.count(RecordQuery(entity: names.entity("City"))) } == 20)
    }
  }

  @Test func `two updates of one record in one save take effect in turn`() throws {
    let pair = try TwoWays()
    let names = try FixtureNames(pair.plain.stores[0].store)
    _ = try pair.save(SaveRequest(changes: [names.insert("Sample", fixtureID(1), ["title": .string("a")])]), on: 0)
    // The second of the second pair is what the store has, and yet a change.
    for titles in [["a", "b"], ["c", "b"], ["b", "b"], ["b", "c"]] {
      let updates = titles.map { names.update("Sample", fixtureID(1), ["title": .string($0)]) }
      let isPlain = try pair.save(SaveRequest(changes: updates), on: 0)
      #expect(!isPlain)
    }
    try pair.check()
  }

  /// A record whose last update set the same attributes keeps its shape; any other is put together anew.
  @Test func `attributes set again and again leave the bytes of the general way`() throws {
    let pair = try TwoWays()
    let names = try FixtureNames(pair.plain.stores[0].store)
    let steps: [[String: FieldValue]] = [
      ["title": .string("a")], ["title": .string("b")], ["title": .string("")], ["title": .string("longer")],
      ["number": .int(1)], ["title": .string("c"), "number": .int(2)], ["memo": .string("")], ["memo": .null],
      ["day": .date(Date(timeIntervalSinceReferenceDate: 1))], ["day": .null],
    ]
    let count = steps.count * steps.count * steps.count
    func request(_ change: (Int) -> RecordChange) -> SaveRequest { SaveRequest(changes: (0..<count).map(change)) }
    let inserts = request { names.insert("Sample", fixtureID(UInt64($0)), ["title": .string("a")]) }
    var plainCount = try pair.save(inserts, on: 0) ? 1 : 0
    for place in [1, steps.count, steps.count * steps.count] {
      let updates = request { number in
        names.update("Sample", fixtureID(UInt64(number)), steps[number / place % steps.count])
      }
      plainCount += try pair.save(updates, on: 0) ? 1 : 0
      try pair.expectEqual(0, after: "step \(place)")
    }
    #expect(plainCount == 4)
    try pair.check()
  }

  @Test func `an update of a record that is not there is refused whole`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      try store.save(names.insert("Tag", fixtureID(1), ["name": .string("tag")]))
      let update = names.update("Note", fixtureID(2), ["text": .string("new")])
      #expect(storeErrorCode { try store.save(update) } == .recordNotFound)
      #expect(try store.read { try $0.lastTransactionNumber } == 1)
    }
  }

  @Test func `a value that is not a number and did not change is not told as changed`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      try store.save(names.insert("Note", fixtureID(1), ["x": .double(.nan), "text": .string("a")]))
      let result = try store.save(names.update("Note", fixtureID(1), ["text": .string("b")]))
      #expect(result.changes.map(\.fields) == [[names.ordinal("Note", "text")]])
    }
  }
}
