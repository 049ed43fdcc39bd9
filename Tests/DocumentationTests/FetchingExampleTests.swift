import Foundation
import Tandem
import Testing

/// The code in the comments of fetches, predicates, orders and aggregates.
struct FetchingExampleTests {
  private func withTrips(_ body: (ModelContext) throws -> Void) async throws {
    try await withContainer(for: Trip.self) { container in
      let context = ModelContext(container)
      for (number, nights) in [2, 8, 9].enumerated() {
        let trip = Trip(code: "A\(number)", name: "Day \(10 - number)", nights: nights)
        trip.lead = Traveler(firstName: "Olena")
        trip.errands = [Errand(isDone: nights == 9)]
        context.insert(trip)
      }
      try context.save()
      try body(context)
    }
  }

  @Test func `a comparison that a person chose becomes a predicate`() async throws {
    try await withTrips { context in
      func trips(_ comparison: PredicateComparisonOperator, _ nights: Int) throws -> [Trip] {
        try context.fetch(FetchDescriptor(predicate: .comparing(\.nights, comparison, nights)))
      }
      let long = try trips(.greaterOrEqual, 8)
      #expect(Set(long.map(\.code)) == ["A1", "A2"])

      let predicate: Predicate<Trip> = .comparing(\.nights, .greaterOrEqual, 3)
      #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == 2)
    }
  }

  @Test func `a predicate asks which objects satisfy another one`() async throws {
    try await withTrips { context in
      let long = PredicateMatches(#Predicate<Trip> { $0.nights > 7 })
      let coded = #Predicate<Trip> { long.contains($0) && $0.code == "A2" }
      let leads = #Predicate<Traveler> { $0.trips.contains { long.contains($0) } }
      let trips = try context.fetch(FetchDescriptor(predicate: coded))
      let leadCount = try context.fetchCount(FetchDescriptor(predicate: leads))
      #expect(trips.map(\.nights) == [9] && leadCount == 2)
    }
  }

  @Test func `a predicate is built of predicates and expressions`() async throws {
    try await withTrips { context in
      let long = #Predicate<Trip> { $0.nights > 7 }
      let open = #Expression<[Errand], Int> { errands in errands.filter { !$0.isDone }.count }
      let restful = #Predicate<Trip> { long.evaluate($0) && open.evaluate($0.errands) == 0 }
      let trips = try context.fetch(FetchDescriptor(predicate: restful))
      #expect(trips.map(\.code) == ["A2"])
    }
  }

  @Test func `results come in batches, in the order that people expect`() async throws {
    try await withTrips { context in
      let trips: FetchResultsCollection<Trip> = try context.fetch(
        FetchDescriptor(sortBy: [SortDescriptor(\.start)]), batchSize: 100)
      for trip in trips.prefix(10) { print(trip.name) }
      #expect(trips.count == 3)

      var order = TextComparator.localizedStandard
      let names = trips.map(\.name).sorted(using: order)  // "Day 8", "Day 9", "Day 10"
      order.order = .reverse
      let last = trips.map(\.name).sorted(using: order).first
      #expect(names == ["Day 8", "Day 9", "Day 10"] && last == "Day 10")
    }
  }

  @Test func `aggregates come alone and by group`() async throws {
    try await withContainer(for: Expense.self) { container in
      let context = ModelContext(container)
      context.insert(Expense(shop: "Bakery", category: "Food", amount: 4))
      context.insert(Expense(shop: "Market", category: "Food", amount: 6))
      try context.save()

      let total = try context.aggregate(.sum(of: \Expense.amount))
      let measures: [Aggregate<Expense, Decimal?>] = [.minimum(of: \.amount), .maximum(of: \.amount)]
      let range = try measures.map { try context.aggregate($0) }
      #expect(total == 10 && range == [4, 6])

      func line(_ group: AggregateGroup<String?, (Int, Decimal)>) -> String {
        "\(group.key ?? "no category"): \(group.values.0) for \(group.values.1)"
      }
      let lines = try context.aggregate(.count, .sum(of: \.amount), groupedBy: \Expense.category).map(line)
      #expect(lines == ["Food: 2 for 10"])
    }
  }

  @Test func `a prepared fetch and lent records make no more than is asked for`() async throws {
    try await withContainer(for: Receipt.self) { container in
      let context = ModelContext(container)
      context.insert(Receipt(number: 4711, shop: "Bakery", amount: 4))
      try context.save()

      let byNumber: PreparedFetch<Receipt, Int> = try context.prepare(
        #Predicate { receipt, number in receipt.number == number })
      let receipt = try byNumber.first(4711)
      #expect(receipt?.shop == "Bakery")
      try prepare(context)
      try lend(context)
    }
  }

  private func prepare(_ context: ModelContext) throws {
    let byNumber = try context.prepare(#Predicate<Receipt, Int> { receipt, number in receipt.number == number })
    let receipt = try byNumber.first(4711)
    #expect(receipt?.shop == "Bakery")
  }

  private func lend(_ context: ModelContext) throws {
    var total: Decimal = 0
    try context.withRecords(of: FetchDescriptor<Receipt>()) { receipt in total += receipt.amount }
    #expect(total == 4)

    func column<Value: PrimitiveAttribute>(_ attribute: KeyPath<Receipt, Value>) throws -> [Value] {
      var values: [Value] = []
      try context.withRecords(of: FetchDescriptor()) { (receipt: borrowing StoredRecord<Receipt>) in
        values.append(receipt[dynamicMember: attribute])
      }
      return values
    }
    let shops = try column(\.shop)
    #expect(shops == ["Bakery"])
  }
}
