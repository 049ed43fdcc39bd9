import AllocationCounter
import Foundation
import Tandem

// A program that fills the store at its argument, then says of each kind of work how many allocations one operation
// makes: a line with the work's name and the number.
@Model final class Charge {
  @Attribute(.unique) var number: Int
  var amount: Double
  var day: Date
  var name: String
  var isPaid: Bool

  init(number: Int) {
    self.number = number
    amount = Double(number)
    day = Date(timeIntervalSinceReferenceDate: Double(number))
    // Beyond the 15 bytes that a string keeps in itself.
    name = "Charge number \(1_000_000 + number)"
    isPaid = number.isMultiple(of: 2)
  }
}

let count = 1_000
var configuration = ModelConfiguration(url: URL(fileURLWithPath: CommandLine.arguments[1]))
configuration.durability = .relaxed
let container = try ModelContainer(for: Charge.self, configurations: configuration)

func freshContext() -> ModelContext {
  let context = ModelContext(container)
  context.autosaveEnabled = false
  return context
}

/// Does the work twice, each time with what `prepare` gives: what is made at a first time is not counted.
func measure<Input>(_ name: String, _ prepare: () throws -> Input, _ work: (Input) throws -> Int) rethrows {
  _ = try work(prepare())
  let input = try prepare()
  let before = allocation_count()
  let operations = try work(input)
  let made = allocation_count() - before
  print(name, String(format: "%.3f", Double(made) / Double(operations)), separator: "\t")
}

func measureRead(_ name: String, isRepeated: Bool = false, _ read: @escaping (Charge) -> Int) throws {
  let readAll = { (charges: [Charge]) in
    var sum = 0
    for charge in charges { sum &+= read(charge) }
    precondition(sum != 0, "something was read")
    return charges.count
  }
  try measure(name) {
    let charges = try freshContext().fetch(FetchDescriptor<Charge>())
    if isRepeated { _ = readAll(charges) }
    return charges
  } _: {
    readAll($0)
  }
}

let filling = freshContext()
for number in 1...count { filling.insert(Charge(number: number)) }
try filling.save()

try measure("fetch", freshContext) { try $0.fetch(FetchDescriptor<Charge>()).count }
try measure("point fetch", freshContext) { context in
  for number in 1...count {
    let found = try context.fetch(FetchDescriptor<Charge>(predicate: #Predicate { $0.number == number }))
    precondition(found.count == 1, "each number is there once")
  }
  return count
}
try measureRead("number") { Int($0.amount) }
try measureRead("date") { Int($0.day.timeIntervalSinceReferenceDate) }
try measureRead("bool") { $0.isPaid ? 1 : 2 }
try measureRead("text") { $0.name.utf8.count }
try measureRead("text again", isRepeated: true) { $0.name.utf8.count }
