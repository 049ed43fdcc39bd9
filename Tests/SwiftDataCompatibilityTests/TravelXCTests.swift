import SwiftData
import XCTest

/// An XCTest suite as apps have it beside Swift Testing: on the main actor, with a container for each test.
@MainActor
final class TravelXCTests: XCTestCase {
  private var context: ModelContext!

  override func setUp() async throws {
    context = try makeContainer().mainContext
  }

  override func tearDown() async throws {
    context = nil
  }

  func testInsertedTripIsFetched() async throws {
    context.insert(Trip(code: "A1", name: "Carpathians", destination: "Yaremche", start: .day(1)))
    XCTAssertEqual(try context.fetch(FetchDescriptor<Trip>()).map(\.name), ["Carpathians"])
    XCTAssertTrue(context.hasChanges)
    try context.save()
    XCTAssertFalse(context.hasChanges)
  }

  func testUnsavedTripIsSavedAtTheNextTurn() async throws {
    context.insert(Trip(code: "B1", name: "Sea", destination: "Odesa", start: .day(2)))
    let saved = expectation(forNotification: ModelContext.didSave, object: context)
    await fulfillment(of: [saved], timeout: 60)
    let other = ModelContext(context.container)
    XCTAssertEqual(try other.fetchCount(FetchDescriptor<Trip>()), 1)
  }

  func testWrongValueThrows() async throws {
    XCTAssertThrowsError(try context.fetch(FetchDescriptor<Trip>(sortBy: [], limitedTo: -1))) { error in
      XCTAssertTrue(error is SwiftDataError)
    }
  }
}

extension FetchDescriptor {
  fileprivate init(sortBy: [SortDescriptor<T>], limitedTo limit: Int) {
    self.init(sortBy: sortBy)
    fetchLimit = limit
  }
}
