import Foundation
import Tandem
import Testing

private struct Line {
  let number: Int
  let shop: String
  var amount: Decimal = 4
}

/// The code in the comments of insertions without objects.
struct BulkInsertionExampleTests {
  private let lines = [Line(number: 1, shop: "Bakery"), Line(number: 2, shop: "Market"), Line(number: 1, shop: "Inn")]

  @Test func `rows become records, and the result counts them`() async throws {
    try await withContainer(for: Receipt.self) { container in
      let context = ModelContext(container)
      try context.insertAll(Receipt.self, lines, chunk: 10_000) { line, receipt in
        receipt.number = line.number
        receipt.shop = line.shop
        receipt.amount = line.amount
      }
      let receipts = try context.fetch(FetchDescriptor<Receipt>(sortBy: [SortDescriptor(\.number)]))
      #expect(receipts.map(\.shop) == ["Inn", "Market"])
      try context.delete(model: Receipt.self)
      try context.save()

      func show(_ progress: BulkProgress) { print("\(progress.rows) read, \(progress.saved) saved") }
      let result: BulkInsertion = try context.insertAll(Receipt.self, lines, progress: show) { line, receipt in
        receipt.number = line.number
        receipt.shop = line.shop
        receipt.amount = line.amount
      }
      print("\(result.inserted) new, \(result.updated) changed")
      #expect(result.inserted == 2 && result.updated == 1 && result.saves == 1)
    }
  }

  @Test func `a row fills a new record by a function of its own`() async throws {
    try await withContainer(for: Receipt.self) { container in
      let context = ModelContext(container)
      func fill(_ line: Line, _ receipt: inout NewRecord<Receipt>) {
        receipt.number = line.number
        receipt.shop = line.shop
        receipt.amount = line.amount
      }
      try context.insertAll(Receipt.self, lines, fill)
      #expect(try context.fetchCount(FetchDescriptor<Receipt>()) == 2)
    }
  }

  @Test func `an insertion in chunks goes on behind the rows that are saved`() async throws {
    struct Torn: Error {}
    try await withContainer(for: Receipt.self) { container in
      let context = ModelContext(container)
      func fill(_ line: Line, _ receipt: inout NewRecord<Receipt>) throws {
        if line.shop == "Market" { throw Torn() }
        (receipt.number, receipt.shop, receipt.amount) = (line.number, line.shop, line.amount)
      }
      var rest = lines[...]
      do {
        try context.insertAll(Receipt.self, rest, chunk: 1, fill)
      } catch let interrupted as InterruptedInsertion {
        rest = rest.dropFirst(interrupted.savedRows)  // to go on with, once `interrupted.cause` is mended
      }
      #expect(rest.map(\.shop) == ["Market", "Inn"])
    }
  }
}
