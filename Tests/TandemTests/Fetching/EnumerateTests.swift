import Foundation
import Tandem
import Testing

/// What a walk goes through, while its block changes what it has not come to.
struct EnumerateTests {
  private func withTrips(_ body: (ModelContext) throws -> Void) async throws {
    try await withContainer { container in
      let filling = ModelContext(container)
      for number in 0..<7 { filling.insert(Trip(code: "\(number)", name: "name \(number)")) }
      try filling.save()
      try body(ModelContext(container))
    }
  }

  /// A store answers the first of the predicates, and Swift decides on the other.
  private let descriptors = [
    FetchDescriptor<Trip>(predicate: #Predicate { $0.name != "" }, sortBy: [SortDescriptor(\.code)]),
    FetchDescriptor<Trip>(predicate: #Predicate { $0.name.count > 2 }, sortBy: [SortDescriptor(\.code)]),
  ]

  @Test(arguments: 0..<2, [1, 3, 5000])
  func `a walk goes through what a fetch finds, whatever its block changes`(number: Int, batchSize: Int) async throws {
    try await withTrips { context in
      var walked: [String] = []
      try context.enumerate(descriptors[number], batchSize: batchSize) { trip in
        walked.append(trip.code)
        for other in try context.fetch(FetchDescriptor<Trip>()) { other.name = "" }
        if walked.count == 4 { try context.save() }
      }
      #expect(walked == (0..<7).map(String.init))
    }
  }

  @Test(arguments: 0..<2, [1, 3, 5000])
  func `a walk passes over what its block deletes, and takes nothing in its place`(number: Int, batchSize: Int)
    async throws
  {
    try await withTrips { context in
      var descriptor = descriptors[number]
      descriptor.fetchOffset = 1
      descriptor.fetchLimit = 4
      var walked: [String] = []
      try context.enumerate(descriptor, batchSize: batchSize) { trip in
        walked.append(trip.code)
        let second = FetchDescriptor<Trip>(predicate: #Predicate { $0.code == "2" })
        if let next = try context.fetch(second).first { context.delete(next) }
      }
      #expect(walked == ["1", "3", "4"])
    }
  }
}
