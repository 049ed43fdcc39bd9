import Foundation
import Tandem
import Testing

@Model final class Gauge {
  #Unique<Gauge>([\.place, \.depth])
  @Attribute(.unique) var level: Double?
  @Attribute(.unique) var read: Date?
  @Attribute(.unique) var price: Decimal?
  var place = ""
  var depth: Double?
  var mark: Int

  init(_ mark: Int) { self.mark = mark }
}

/// Not-a-number is equal to nothing in a predicate, and one value to a unique constraint, on each way that a question
/// takes.
@Suite struct NotANumberTests {
  private static let noDate = Date(timeIntervalSinceReferenceDate: .nan)

  private func expectNone(_ context: ModelContext, _ sourceLocation: SourceLocation = #_sourceLocation) throws {
    let (level, read, price) = (Double.nan, Self.noDate, Decimal.nan)
    let byLevel = try context.prepare(#Predicate<Gauge, Double?> { gauge, level in gauge.level == level })
    let byRead = try context.prepare(#Predicate<Gauge, Date?> { gauge, read in gauge.read == read })
    let byPrice = try context.prepare(#Predicate<Gauge, Decimal?> { gauge, price in gauge.price == price })
    #expect(try byLevel.fetch(level).isEmpty, sourceLocation: sourceLocation)
    #expect(try byRead.fetch(read).isEmpty, sourceLocation: sourceLocation)
    #expect(try byPrice.fetch(price).isEmpty, sourceLocation: sourceLocation)
    let prices: [Decimal?] = [price, 5]
    let small = ..<Decimal(1)
    let predicates: [Predicate<Gauge>] = [
      #Predicate { $0.level == level }, #Predicate { $0.read == read }, #Predicate { $0.price == price },
      #Predicate { ($0.price ?? 1) < 0 }, #Predicate { prices.contains($0.price) },
      #Predicate { small.contains($0.price ?? 1) }, #Predicate { ($0.price ?? price) == price },
    ]
    for predicate in predicates {
      #expect(try context.fetch(FetchDescriptor(predicate: predicate)) == [], sourceLocation: sourceLocation)
    }
    let different = FetchDescriptor<Gauge>(predicate: #Predicate { $0.price != price })
    #expect(try context.fetch(different).count == 1, sourceLocation: sourceLocation)
  }

  @Test func `it is equal to nothing before a save, after it, and where a fetch is prepared`() async throws {
    try await withContainer(for: [Gauge.self]) { container in
      let context = ModelContext(container)
      let gauge = Gauge(1)
      (gauge.level, gauge.read, gauge.price) = (.nan, Self.noDate, .nan)
      context.insert(gauge)
      try expectNone(context)
      try context.save()
      try expectNone(context)
      try expectNone(ModelContext(container))
      gauge.mark = 2
      try expectNone(context)
    }
  }

  @Test func `a second object with it takes the first one's place, before a save as after it`() async throws {
    typealias Change = (Gauge) -> Void
    let changes: [Change] = [
      { $0.level = .nan }, { $0.read = Self.noDate }, { $0.price = .nan },
      { gauge in
        gauge.place = "bridge"
        gauge.depth = .nan
      },
    ]
    for change in changes {
      try await withContainer(for: [Gauge.self]) { container in
        let context = ModelContext(container)
        for mark in 1...3 {
          let gauge = Gauge(mark)
          change(gauge)
          context.insert(gauge)
          // The first two meet in one save, the third meets what is stored.
          if mark == 1 { continue }
          #expect(try context.fetch(FetchDescriptor<Gauge>()).map(\.mark) == [mark])
          try context.save()
          #expect(try context.fetch(FetchDescriptor<Gauge>()).map(\.mark) == [mark])
          #expect(try ModelContext(container).fetch(FetchDescriptor<Gauge>()).map(\.mark) == [mark])
        }
      }
    }
  }
}
