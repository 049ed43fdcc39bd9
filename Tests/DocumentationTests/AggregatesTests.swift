import Foundation
import Tandem
import Testing

/// The code of the article Aggregates.
struct AggregatesTests {
  @Test func `aggregates answer as the article tells`() async throws {
    try await withContainer(for: Expense.self) { container in
      let start = Date(timeIntervalSinceReferenceDate: 1_000)
      let context = ModelContext(container)
      context.insert(Expense(shop: "Bakery", category: "Food", amount: 4, points: 1, day: start))
      context.insert(Expense(shop: "Bakery", category: "Food", amount: 6, points: 2, day: start - 1))
      context.insert(Expense(shop: "Hardware", amount: 75, points: 3, day: start + 1))
      try context.save()

      let total = try context.aggregate(.sum(of: \Expense.amount))
      let (count, largest) = try context.aggregate(.count, .maximum(of: \Expense.amount))
      #expect(total == 85 && count == 3 && largest == 75)

      let recent = FetchDescriptor<Expense>(predicate: #Predicate { $0.day >= start })
      let spent = try context.aggregate(.sum(of: \.amount), over: recent)
      #expect(spent == 79)

      for group in try context.aggregate(.count, .sum(of: \.amount), groupedBy: \Expense.category) {
        print(group.key ?? "no category", group.values.0, group.values.1)
      }
      let shops = try context.distinctValues(of: \Expense.shop)
      #expect(shops == ["Bakery", "Hardware"])
      let groups = try context.aggregate(.count, .sum(of: \.amount), groupedBy: \Expense.category)
      #expect(groups.map(\.key) == [nil, "Food"] && groups.map(\.values.1) == [75, 10])

      let (all, largestDay) = try context.withSnapshot {
        (
          try context.aggregate(.count, over: FetchDescriptor<Expense>()),
          try context.aggregate(.maximum(of: \Expense.day))
        )
      }
      #expect(all == 3 && largestDay == start + 1)

      for expense in try context.fetch(recent) { expense.points = .max }
      try context.save()
      do {
        print(try context.aggregate(.sum(of: \Expense.points)))
      } catch SwiftDataError.aggregateOverflow {
        print(try context.aggregate(.average(of: \Expense.points)) ?? 0)
      }
      #expect(throws: SwiftDataError.aggregateOverflow) { try context.aggregate(.sum(of: \Expense.points)) }
    }
  }
}
