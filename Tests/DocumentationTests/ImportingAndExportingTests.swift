import Foundation
import RecordStore
import Tandem
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

func exportReceipts(of context: ModelContext, to file: FileHandle) throws {
  let all = FetchDescriptor<Receipt>(sortBy: [SortDescriptor(\.number)])
  try context.enumerate(all) { receipt in
    try file.write(contentsOf: Data("\(receipt.number);\(receipt.shop);\(receipt.amount)\n".utf8))
  }
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
}
