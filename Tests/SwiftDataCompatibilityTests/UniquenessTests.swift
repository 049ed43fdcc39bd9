import SwiftData
import Testing

@Model
final class Ticket {
  @Attribute(.unique(.throw)) var number: Int
  @Attribute(.unique) var seat: String
  var holder: String
  init(number: Int, seat: String, holder: String) {
    self.number = number
    self.seat = seat
    self.holder = holder
  }
}

@Model
final class Seat {
  var row: Int
  @Relationship(.unique) var guest: Guest?
  @Relationship(.unique, inverse: \Meal.seats) var meal: Meal?
  @Relationship(.unique, inverse: \Locker.seat) var locker: Locker?
  @Relationship(.unique) var coats: [Guest] = []
  init(row: Int) { self.row = row }
}

@Model
final class Guest {
  var name: String
  init(name: String) { self.name = name }
}

@Model
final class Meal {
  var seats: [Seat] = []
  init() {}
}

@Model
final class Locker {
  var seat: Seat?
  init() {}
}

@Suite struct UniquenessTests {
  private let context: ModelContext

  init() throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    context = ModelContext(try ModelContainer(for: Ticket.self, configurations: configuration))
    context.insert(Ticket(number: 1, seat: "A", holder: "Olena"))
    try context.save()
  }

  private func holders() throws -> [String] {
    try ModelContext(context.container).fetch(FetchDescriptor<Ticket>(sortBy: [SortDescriptor(\.number)])).map(\.holder)
  }

  @Test func `an attribute may refuse a value that exists while another one updates`() throws {
    context.insert(Ticket(number: 2, seat: "A", holder: "Taras"))
    try context.save()
    #expect(try holders() == ["Taras"])
    // Now the ticket has number 2 and seat A.
    let late = Ticket(number: 2, seat: "B", holder: "Ivan")
    context.insert(late)
    #expect { try context.save() } throws: { error in
      SwiftDataError.modelValidationFailure ~= error && "\(error)".contains("Ticket")
    }
    #expect(try holders() == ["Taras"])
    late.number = 3
    try context.save()
    #expect(try holders() == ["Taras", "Ivan"])
  }

  @Test func `the refusing one decides where both values exist`() throws {
    context.insert(Ticket(number: 1, seat: "A", holder: "Taras"))
    #expect { try context.save() } throws: { SwiftDataError.modelValidationFailure ~= $0 }
    context.rollback()
    #expect(try holders() == ["Olena"])
  }

  @Test func `two inserts of one save meet too, and a delete sets the value free`() throws {
    context.insert(Ticket(number: 5, seat: "X", holder: "a"))
    context.insert(Ticket(number: 5, seat: "Y", holder: "b"))
    #expect { try context.save() } throws: { SwiftDataError.modelValidationFailure ~= $0 }
    context.rollback()
    for ticket in try context.fetch(FetchDescriptor<Ticket>()) { context.delete(ticket) }
    context.insert(Ticket(number: 1, seat: "Z", holder: "c"))
    try context.save()
    #expect(try holders() == ["c"])
  }

  @Test func `the policy is part of the schema's description`() throws {
    let number = try #require(Schema([Ticket.self]).entity(for: Ticket.self)?.attributesByName["number"])
    #expect(number.isUnique && number.options == [.unique(.throw)] && number.options != [.unique])
    #expect(Schema.Attribute.Option.unique(.upsert) == .unique)
    let written = try JSONDecoder().decode(Schema.Attribute.self, from: try JSONEncoder().encode(number))
    #expect(written.options == [.unique(.throw)])
  }

  @Test func `a unique relationship leads to an object from one object only, and says nothing where that is so anyway`()
    throws
  {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let context = ModelContext(try ModelContainer(for: Seat.self, configurations: configuration))
    let (meal, ann) = (Meal(), Guest(name: "Ann"))
    context.insert(meal)
    let first = Seat(row: 1)
    context.insert(first)
    first.meal = meal
    first.coats = [ann]
    first.locker = Locker()
    try context.save()
    let second = Seat(row: 2)
    context.insert(second)
    second.meal = meal
    try context.save()
    let seats = try ModelContext(context.container).fetch(FetchDescriptor<Seat>())
    #expect(seats.map(\.row) == [2], "the second seat with the meal is the first one, updated")
    #expect(seats.first?.coats.map(\.name) == ["Ann"] && seats.first?.locker != nil)
  }
}
