import AstroSvitla
import Foundation
import TestSupport

/// Values that many tests need.
enum Fixtures {
  static let base = Date(timeIntervalSince1970: 1_760_000_000)

  static func id(_ number: Int) -> UUID {
    UUID(uuidString: "00000000-0000-4000-8000-" + String(format: "%012d", number)) ?? UUID()
  }

  static func chart(shift: Double = 0) throws -> NatalChart {
    let positions = try Planet.allCases.enumerated().map { index, planet in
      try PlanetPosition(planet, at: EclipticLongitude(Double(index) * 33.7 + shift), speed: planet.usualSpeed)
    }
    return try NatalChart(positions: positions, houses: HouseRing(equalFrom: EclipticLongitude(201.5 + shift)))
  }

  static func randomChart(_ generator: inout SeededGenerator) throws -> NatalChart {
    let positions = try Planet.allCases.map { planet in
      let slowest = planet.canBeRetrograde ? -1.5 : 0
      return try PlanetPosition(
        planet, at: EclipticLongitude(.random(in: 0..<360, using: &generator)),
        speed: .random(in: slowest...14, using: &generator))
    }
    return try NatalChart(
      positions: positions,
      houses: HouseRing(equalFrom: EclipticLongitude(.random(in: 0..<360, using: &generator))))
  }

  static func birth(_ name: String = "Olena") throws -> BirthDetails {
    try BirthDetails(
      name: name, day: BirthDay(year: 1991, month: 8, day: 24), time: BirthTime(iso: "07:45"),
      place: BirthPlace(latitude: 50.45, longitude: 30.52, timeZoneName: "Europe/Kyiv"))
  }

  static func paid(
    _ number: UInt64 = 0, _ product: CreditProduct = .single, quantity: Int = 1,
    revocation: PaidTransaction.Revocation? = nil, signedAfter seconds: Double = 0
  ) -> PaidTransaction {
    PaidTransaction(
      key: TransactionKey(environment: "Xcode", bundleID: CreditProduct.bundleID, transactionID: number),
      productID: product.rawValue, quantity: quantity, purchaseDate: base, price: 4.99, currencyCode: "USD",
      storefront: "USA", revocation: revocation, signedAt: base.addingTimeInterval(seconds), signedText: "text")
  }
}

extension Planet {
  fileprivate var usualSpeed: Double {
    switch self {
    case .sun: 0.985
    case .moon: 13.18
    case .mercury: -0.4
    default: 0.1
    }
  }
}
