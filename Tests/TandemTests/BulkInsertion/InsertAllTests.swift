import Foundation
import RecordStore
import Synchronization
import Tandem
import Testing

@Model private final class Ticket {
  @Attribute(.unique(.throw)) var number: Int
  var mark = UUID()
  var made = Counting.shared.next()
  @Attribute(.codable) var season: Season?
  var seat: String
  var parent: Ticket?
  @Attribute(.ephemeral) var isOpen = false
  var half: Int { number / 2 }
  init(number: Int, seat: String) {
    self.number = number
    self.seat = seat
  }
}

@Model private final class District {
  @Attribute(.unique) var name: String
  var area: District?
  init(name: String) { self.name = name }
}

/// Gives another number each time, as a default may.
private final class Counting: Sendable {
  static let shared = Counting()
  private let last = Mutex(0)
  func next() -> Int {
    last.withLock {
      $0 += 1
      return $0
    }
  }
}

struct InsertAllTests {
  private struct Stopped: Error {}

  private func count(_ container: ModelContainer) throws -> Int {
    try ModelContext(container).fetchCount(FetchDescriptor<Ticket>())
  }

  private func expect(
    _ expected: Int, in container: ModelContainer, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try count(container)
    #expect(found == expected, sourceLocation: sourceLocation)
  }

  private func fill(_ number: Int, _ ticket: inout NewRecord<Ticket>) {
    ticket.number = number
    ticket.seat = "seat \(number)"
  }

  @Test func `a default is evaluated for each row that leaves the property out`() async throws {
    try await withContainer(for: [Ticket.self]) { container in
      let context = ModelContext(container)
      try context.insertAll(Ticket.self, 0..<100) { number, ticket in
        fill(number, &ticket)
        ticket.isOpen = true
        ticket.season = number.isMultiple(of: 2) ? .winter : nil
      }
      let tickets = try context.fetch(FetchDescriptor<Ticket>(sortBy: [SortDescriptor(\.number)]))
      #expect(Set(tickets.map(\.mark)).count == 100)
      #expect(Set(tickets.map(\.made)).count == 100)
      #expect(tickets.map(\.season) == (0..<100).map { $0.isMultiple(of: 2) ? .winter : nil })
      #expect(tickets[7].seat == "seat 7")
    }
  }

  @Test func `a row without a required value names the property, and nothing is saved`() async throws {
    try await withContainer(for: [Ticket.self]) { container in
      let context = ModelContext(container)
      let error = #expect(throws: SwiftDataError.self) {
        try context.insertAll(Ticket.self, 0..<10) { number, ticket in
          ticket.number = number
          if number < 5 { ticket.seat = "seat" }
        }
      }
      #expect(error?.code == .modelValidationFailure)
      #expect(error?.message.hasPrefix("Ticket.seat has no value") == true)
      try expect(0, in: container)
    }
  }

  @Test func `a refused duplicate, a throwing closure and a computed property save nothing`() async throws {
    try await withContainer(for: [Ticket.self]) { container in
      let context = ModelContext(container)
      expectError(.uniquenessViolation) { try context.insertAll(Ticket.self, [1, 2, 1], fill) }
      #expect(throws: Stopped.self) {
        try context.insertAll(Ticket.self, 0..<10) { number, ticket in
          if number == 9 { throw Stopped() }
          fill(number, &ticket)
        }
      }
      expectError(.unsupportedKeyPath) {
        try context.insertAll(Ticket.self, 0..<2) { number, ticket in
          fill(number, &ticket)
          ticket.half = 2
        }
      }
      try expect(0, in: container)
    }
  }

  @Test func `chunks are saves of their own, and an error says how many rows are in`() async throws {
    try await withContainer(for: [Ticket.self]) { container in
      let context = ModelContext(container)
      context.author = "bulk"
      var reports: [BulkProgress] = []
      let outcome = try context.insertAll(Ticket.self, 0..<95, chunk: 10, progress: { reports.append($0) }, fill)
      #expect((outcome.rows, outcome.saves, outcome.updated) == (95, 10, 0))
      #expect(reports.map(\.saved) == (1...9).map { $0 * 10 } + [95, 95])
      let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      #expect(history.map(\.changes.count) == Array(repeating: 10, count: 9) + [5])
      #expect(history.allSatisfy { $0.author == "bulk" })
      let error = #expect(throws: InterruptedInsertion.self) {
        try context.insertAll(Ticket.self, 100..<200, chunk: 10) { number, ticket in
          if number == 137 { throw Stopped() }
          fill(number, &ticket)
        }
      }
      #expect(error?.savedRows == 30)
      #expect(error?.cause is Stopped)
      try expect(125, in: container)
      expectError(.invalidRequest) { try context.insertAll(Ticket.self, 0..<1, chunk: 0, fill) }
    }
  }

  @Test func `a cancelled task leaves the store as it was, or with the chunks that it says`() async throws {
    try await withContainer(for: [Ticket.self]) { container in
      for chunk in [nil, 100] {
        let before = try count(container)
        let task = Task {
          try ModelContext(container).insertAll(Ticket.self, 0..<10_000, chunk: chunk) { number, ticket in
            if number == 350 { withUnsafeCurrentTask { $0?.cancel() } }
            fill(before + number, &ticket)
          }
        }
        let result = await task.result
        let error = #expect(throws: (any Error).self) { try result.get() }
        if chunk == nil {
          #expect(error is CancellationError)
          try expect(before, in: container)
        } else {
          #expect((error as? InterruptedInsertion)?.savedRows == 300)
          #expect((error as? InterruptedInsertion)?.cause is CancellationError)
          try expect(before + 300, in: container)
        }
      }
    }
  }

  @Test func `rows of an asynchronous sequence are inserted as they come`() async throws {
    try await withContainer(for: [Ticket.self]) { container in
      let context = ModelContext(container)
      let numbers = AsyncStream<Int> { continuation in
        for number in 0..<250 { continuation.yield(number) }
        continuation.finish()
      }
      let outcome = try await context.insertAll(Ticket.self, numbers, chunk: 100, fill)
      #expect(outcome.saves == 3)
      try expect(250, in: container)
      let failing = AsyncThrowingStream<Int, any Error> { continuation in
        for number in 300..<320 { continuation.yield(number) }
        continuation.finish(throwing: Stopped())
      }
      await #expect(throws: Stopped.self) { try await context.insertAll(Ticket.self, failing, fill) }
      try expect(250, in: container)
    }
  }

  @Test func `later rows link to earlier ones, of the same save and of another chunk`() async throws {
    try await withContainer(for: [Ticket.self]) { container in
      for (start, chunk) in [(0, nil), (100, 10)] as [(Int, Int?)] {
        let context = ModelContext(container)
        var last: PersistentIdentifier?
        try context.insertAll(Ticket.self, start..<(start + 50), chunk: chunk) { number, ticket in
          fill(number, &ticket)
          ticket.link(\.parent, to: last)
          last = ticket.persistentModelID
        }
        let tickets = try context.fetch(
          FetchDescriptor<Ticket>(predicate: #Predicate { $0.number >= start }, sortBy: [SortDescriptor(\.number)]))
        #expect(tickets.map { $0.parent?.number } == [nil] + (start..<(start + 49)).map { $0 })
      }
    }
  }

  @Test func `a row that became an existing record has that one's identity, others their own`() async throws {
    try await withContainer(for: tripTypes) { container in
      let context = ModelContext(container)
      context.insert(Trip(code: "0"))
      try context.save()
      var trips: [PersistentIdentifier] = []
      try context.insertAll(Trip.self, 0..<3, chunk: 1) { number, trip in
        trip.code = "\(number)"
        trip.name = "new"
        trip.start = .now
        trip.price = 1
        trips.append(trip.persistentModelID)
      }
      #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 3)
      let existing = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.code)]))
      #expect(existing.map(\.name) == ["new", "new", "new"])
      #expect(existing[0].persistentModelID != trips[0])
      #expect(existing[1].persistentModelID == trips[1])
    }
  }

  @Test func `a link to a row that became an existing record leads to that one, from any chunk`() async throws {
    try await withContainer(for: [District.self]) { container in
      for chunk in [nil, 1, .max] as [Int?] {
        let context = ModelContext(container)
        context.insert(District(name: "Kyiv"))
        try context.save()
        var area: PersistentIdentifier?
        try context.insertAll(District.self, ["Kyiv", "Podil"], chunk: chunk) { name, place in
          place.name = name
          place.link(\.area, to: area)
          area = place.persistentModelID
        }
        let places = try context.fetch(FetchDescriptor<District>(sortBy: [SortDescriptor(\.name)]))
        #expect(places.count == 2)
        #expect(places.map(\.name) == ["Kyiv", "Podil"])
        #expect(places[1].area === places[0])
        try context.delete(model: District.self)
        try context.save()
      }
    }
  }

  @Test func `a link to what is not saved, or to another class, is refused with a sentence`() async throws {
    try await withContainer(for: tripTypes) { container in
      let context = ModelContext(container)
      let unsaved = Trip(code: "unsaved")
      context.insert(unsaved)
      func insert(_ link: (inout NewRecord<Stop>) -> Void) throws {
        try context.insertAll(Stop.self, ["place"]) { place, stop in
          stop.place = place
          stop.order = 1
          link(&stop)
        }
      }
      expectError(.modelValidationFailure) { try insert { $0.trip = unsaved } }
      let id = unsaved.persistentModelID
      expectError(.modelValidationFailure) { try insert { $0.link(\.trip, to: id) } }
      let tag = Tag(name: "tag")
      context.insert(tag)
      try context.save()
      let other = tag.persistentModelID
      expectError(.modelValidationFailure) { try insert { $0.link(\.trip, to: other) } }
      #expect(try context.fetchCount(FetchDescriptor<Stop>()) == 0)
      try insert { $0.trip = unsaved }
      #expect(unsaved.stops.map(\.place) == ["place"])
    }
  }

  @Test func `unsaved changes stay, and objects that are here take in what rows change`() async throws {
    try await withContainer(for: tripTypes) { container in
      let context = ModelContext(container)
      let trip = Trip(code: "a", name: "before")
      context.insert(trip)
      try context.save()
      trip.price = 7
      #expect(trip.stops.isEmpty)
      try context.insertAll(Trip.self, ["a"]) { code, record in
        record.code = code
        record.name = "after"
        record.start = .now
        record.price = 1
      }
      try context.insertAll(Stop.self, ["x", "y"]) { place, stop in
        stop.place = place
        stop.order = 0
        stop.trip = trip
      }
      #expect(trip.name == "after")
      #expect(trip.price == 7)
      #expect(context.hasChanges)
      #expect(String.list(trip.stops.map(\.place)) == "x y")
    }
  }

  @Test func `a save is announced with the identifiers of the rows`() async throws {
    try await withContainer(for: [Ticket.self]) { container in
      let context = ModelContext(container)
      let inserted = Mutex<[PersistentIdentifier]>([])
      let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
        let ids = $0.userInfo?[ModelContext.NotificationKey.insertedIdentifiers.rawValue] as? [PersistentIdentifier]
        inserted.withLock { $0 += ids ?? [] }
      }
      defer { NotificationCenter.default.removeObserver(token) }
      try context.insertAll(Ticket.self, 0..<20, chunk: 7, fill)
      #expect(inserted.withLock { $0 } == (try context.fetchIdentifiers(FetchDescriptor<Ticket>())))
    }
  }

  @Test func `inside a snapshot or a once transaction rows are refused`() async throws {
    try await withContainer(for: [Ticket.self]) { container in
      let context = ModelContext(container)
      expectError(.saveInSnapshot) { try context.withSnapshot { try context.insertAll(Ticket.self, [1], fill) } }
      expectError(.invalidOnceTransaction) {
        try context.transaction(once: "key") { try context.insertAll(Ticket.self, [1], fill) }
      }
      try expect(0, in: container)
    }
  }
}
