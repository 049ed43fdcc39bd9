import Foundation
import RecordStore
import Tandem
import TandemBridges
import Testing

struct ImportFailure: Error {
  let description: String
}

func importReceipts(_ text: String, into container: ModelContainer) throws -> Int {
  let context = ModelContext(container)
  context.author = "import"
  var count = 0
  for line in text.split(whereSeparator: \.isNewline) {
    let fields = line.split(separator: ";", omittingEmptySubsequences: false)
    guard fields.count == 3, let number = Int(fields[0]), let amount = Decimal(string: String(fields[2])) else {
      throw ImportFailure(description: "line \(count + 1) is not a number, a shop and an amount: mend it, import again")
    }
    context.insert(Receipt(number: number, shop: String(fields[1]), amount: amount))
    count += 1
    if count.isMultiple(of: 5000) { try context.save() }
  }
  try context.save()
  return count
}

func importRows(_ lines: some Sequence<Substring>, into container: ModelContainer) throws -> BulkInsertion {
  let context = ModelContext(container)
  context.author = "import"
  return try context.insertAll(Receipt.self, lines, chunk: 10_000) { line, receipt in
    let fields = line.split(separator: ";", omittingEmptySubsequences: false)
    guard fields.count == 3, let number = Int(fields[0]), let amount = Decimal(string: String(fields[2])) else {
      throw ImportFailure(description: "'\(line)' is not a number, a shop and an amount: mend it, import again")
    }
    receipt.number = number
    receipt.shop = String(fields[1])
    receipt.amount = amount
  }
}

func exportReceipts(of context: ModelContext, to file: FileHandle) throws {
  let all = FetchDescriptor<Receipt>(sortBy: [SortDescriptor(\.number)])
  try context.enumerate(all) { receipt in
    try file.write(contentsOf: Data("\(receipt.number);\(receipt.shop);\(receipt.amount)\n".utf8))
  }
}

func takeOver(_ old: URL, into container: ModelContainer, keeping copy: URL) async throws -> [String] {
  let report = try await container.importSQLite(from: old, author: "take-over")
  let exported = try await container.exportSQLite(to: copy)
  return report.notes + exported.notes + ["\(report.inserted) of \(exported.recordCount) records are new"]
}

/// The code of the article ImportingAndExporting. Its commands are played by `ConsoleTests`.
struct ImportingAndExportingTests {
  @Test func `what was imported twice is there once and is exported as it was`() async throws {
    try await withContainer(for: Receipt.self) { container in
      let lines = (1...5_100).map { "\($0);Shop \($0 % 7);\($0).25\n" }.joined()
      #expect(try importReceipts(lines, into: container) == 5_100)
      #expect(try importReceipts(lines, into: container) == 5_100)
      let file = container.store.url.appendingPathExtension("csv")
      try Data().write(to: file)
      try exportReceipts(of: ModelContext(container), to: FileHandle(forWritingTo: file))
      #expect(try String(contentsOf: file, encoding: .utf8) == lines)
      #expect(throws: ImportFailure.self) { try importReceipts("1;Bakery", into: container) }
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Receipt>()) == 5_100)
    }
  }

  @Test func `rows without objects are the same receipts, and a wrong one is told`() async throws {
    try await withContainer(for: Receipt.self) { container in
      let lines = (1...12_000).map { "\($0);Shop \($0 % 7);\($0).25\n" }.joined()
      let first = try importRows(lines.split(separator: "\n"), into: container)
      #expect((first.inserted, first.updated, first.saves) == (12_000, 0, 2))
      #expect(try importReceipts(lines, into: container) == 12_000)
      let again = try importRows(lines.split(separator: "\n").prefix(10), into: container)
      #expect((again.inserted, again.updated) == (0, 10))
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Receipt>()) == 12_000)
      let error = #expect(throws: InterruptedInsertion.self) { try importRows(["1;Bakery"], into: container) }
      #expect(error?.cause is ImportFailure)
    }
  }

  @Test func `an app takes over what another store exported, and a wrong name is told`() async throws {
    try await withContainer(for: Receipt.self) { container in
      #expect(try importReceipts("1;Bakery;4.5\n2;Grocery;31.25\n", into: container) == 2)
      let file = container.store.url.appendingPathExtension("sqlite")
      _ = try await container.exportSQLite(to: file)
      try await withContainer(for: Receipt.self) { other in
        #expect(try importReceipts("3;Hardware;75.5\n", into: other) == 1)
        let copy = other.store.url.appendingPathExtension("sqlite")
        #expect(try await takeOver(file, into: other, keeping: copy) == ["2 of 3 records are new"])
        let shops = try ModelContext(other).fetch(FetchDescriptor<Receipt>(sortBy: [SortDescriptor(\.number)])).map(
          \.shop)
        #expect(shops == ["Bakery", "Grocery", "Hardware"])
        let error = await #expect(throws: BridgeError.self) {
          try await other.importSQLite(from: file, intoStoreNamed: "nothing")
        }
        #expect(error?.message.contains("has no store named nothing") == true)
        let lines = file.appendingPathExtension("jsonl")
        try Data(#"{"@entity":"Receipt","number":4,"shop":"Café","amount":"1"}"#.utf8).write(to: lines)
        #expect(try await other.importJSONLines(from: lines).inserted == 1)
        try Data("number,shop,amount\n4,Café,2\n".utf8).write(to: lines)
        #expect(try await other.importCSV(from: lines, entity: "Receipt", isDryRun: true).updated == 1)
      }
    }
  }
}
