import AppStoreTesting
import AstroSvitla
import Foundation
import HelperProcess
import Tandem
import Testing

/// Real processes that are killed at each named point, then the app is launched again: credits equal what was paid,
/// everything paid is finished, no report is without its credit and no credit is spent without its report.
@Suite struct CrashPointTests {
  /// A point by its name in <doc:CrashPoints>, and the variable that arms it.
  struct Point: Sendable, CustomTestStringConvertible {
    var name: String
    var variable = "ASTROSVITLA_CRASH"
    var value: String
    var isPaid = true
    var testDescription: String { name }
  }

  static let buying = [
    Point(name: "C0", variable: CrashPoint.environmentVariable, value: "C0", isPaid: false),
    Point(name: "C1", variable: CrashPoint.environmentVariable, value: "C1"),
    Point(name: "C2", value: "purchaseReturned"), Point(name: "C3", value: "verified"),
    Point(name: "C4", value: "delivering"), Point(name: "C5", value: "delivered"),
    Point(name: "C6", variable: CrashPoint.environmentVariable, value: "C6"), Point(name: "C7", value: "finished"),
    Point(name: "C8", value: "settled"),
  ]

  static let spending = [
    Point(name: "G1", value: "reserved"), Point(name: "G2", value: "writing"), Point(name: "G3", value: "consuming"),
    Point(name: "G4", value: "consumed"),
  ]

  static let refunding = [
    Point(name: "R1 in the App Store", variable: CrashPoint.environmentVariable, value: "R1"),
    Point(name: "R1 in the app", value: "revocationVerified"),
  ]

  /// Points on the way of a batch of five, and how often each is passed before the process dies there.
  static let batches = [
    Point(name: "C3 of the third", value: "verified:3"), Point(name: "C4 of the third", value: "delivering:3"),
    Point(name: "C4 of the last", value: "delivering:5"), Point(name: "C5", value: "delivered"),
    Point(name: "C5 of the third", value: "delivered:3"),
    Point(name: "C6 of the first", variable: CrashPoint.environmentVariable, value: "C6"),
    Point(name: "C7 of the third", value: "finished:3"), Point(name: "C7 of the last", value: "finished:5"),
    Point(name: "C8", value: "settled"),
  ]

  @Test(arguments: batches)
  func `a batch that is killed at any point is delivered once and finished`(point: Point) async throws {
    try await Shop.open { shop in
      _ = try await shop.device("phone")
      for _ in 0..<5 { try await shop.appStore.buy(CreditProduct.packOfFive.rawValue, for: Shop.account) }
      try crash(shop, at: point, ["launch", appStorePath(shop)])
      // All of it or nothing: a kill before the commit has delivered none.
      let isCommitted = !["verified", "delivering"].contains { point.value.hasPrefix($0) }
      let killed = try await shop.device("phone")
      #expect(try await killed.balance().purchased == (isCommitted ? 25 : 0))
      for round in 0..<2 {
        let phone = try await shop.device("phone")
        let report = try await phone.purchases.launch(listens: false)
        #expect(report.creditsDelivered == (round == 0 && !isCommitted ? 25 : 0))
        #expect(report.balance.available == 25 && report.balance.purchased == 25)
        #expect(try phone.count(PurchaseRecord.self) == 5)
        #expect(try phone.count(FinishNote.self) == 0)
        #expect(try await phone.history.purchases().allSatisfy { $0.finishedAt != nil })
        #expect(try await shop.appStore.entries().allSatisfy(\.isFinished))
      }
    }
  }

  private func crash(_ shop: Shop, at point: Point, _ arguments: [String]) throws {
    let helper = try HelperProcess(
      arguments: [arguments[0], shop.url(of: "phone").path] + arguments.dropFirst(),
      environment: [point.variable: point.value], program: "astrosvitla-test-helper")
    #expect(try helper.finish() == -SIGKILL, "\(point.name) was not reached")
  }

  private func appStorePath(_ shop: Shop) -> String { shop.appStore.directory.path }

  @Test(arguments: buying, [CreditProduct.single, .packOfFive])
  func `a purchase that is killed at any point is delivered once and finished`(
    point: Point, product: CreditProduct
  ) async throws {
    try await Shop.open { shop in
      _ = try await shop.device("phone")
      try crash(shop, at: point, ["buy", appStorePath(shop), product.rawValue])
      let paid = try await shop.appStore.entries()
      #expect(paid.count == (point.isPaid ? 1 : 0))
      for _ in 0..<2 {
        let phone = try await shop.device("phone")
        let report = try await phone.purchases.launch(listens: false)
        #expect(report.balance.available == (point.isPaid ? product.credits : 0))
        #expect(report.balance.purchased == report.balance.available)
        #expect(try phone.count(PurchaseRecord.self) == paid.count)
        #expect(try phone.count(FinishNote.self) == 0)
        #expect(try await phone.history.purchases().allSatisfy { $0.finishedAt != nil })
        #expect(try await shop.appStore.entries().allSatisfy(\.isFinished))
      }
    }
  }

  @Test(arguments: refunding, [CreditProduct.single, .packOfFive])
  func `a refund that is killed before it is written down is written down at the next launch`(
    point: Point, product: CreditProduct
  ) async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      _ = try await phone.purchases.buy(product)
      let used = product == .single ? 0 : 1
      if used > 0 { try await phone.report(1) }
      try await shop.appStore.refund(try #require(try await shop.appStore.entries().first).id)
      try crash(shop, at: point, ["launch", appStorePath(shop)])
      let unused = product.credits - used
      #expect(try await phone.balance().available == unused)
      let again = try await shop.device("phone")
      let balance = try await again.purchases.launch(listens: false).balance
      #expect(balance.available == 0 && balance.revoked == unused && balance.consumed == used)
    }
  }

  @Test(arguments: spending, [CreditProduct.single, .packOfFive])
  func `a report that is killed at any point is made once for one credit, under its request`(
    point: Point, product: CreditProduct
  ) async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      _ = try await phone.purchases.buy(product)
      let chart = try await phone.chart()
      let request = Fixtures.id(1)
      try crash(shop, at: point, ["report", appStorePath(shop), chart.uuidString, request.uuidString])
      let isMade = point.name == "G4"
      #expect(try phone.count(ReportPurchase.self) == (isMade ? 1 : 0))
      #expect(try phone.count(CreditConsumption.self) == (isMade ? 1 : 0))
      #expect(try await phone.credits.availableCount() == product.credits - 1)
      // What the killed run held is its request's still: nobody else may have it, and it is not lost.
      try await phone.report(1)
      #expect(try await phone.credits.availableCount() == product.credits - 1)
      let balance = try await phone.balance()
      #expect(balance.consumed == 1 && balance.available == product.credits - 1)
      #expect(try phone.count(ReportPurchase.self) == 1)
    }
  }

  @Test func `every step that the app names is a crash point of these tests`() {
    let named = Set((Self.buying + Self.spending + Self.refunding).map(\.value))
    for step in AppStep.allCases { #expect(named.contains(step.rawValue), "\(step)") }
  }
}
