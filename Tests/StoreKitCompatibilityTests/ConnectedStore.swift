import AppStoreTesting
import Foundation
import StoreKit
import Testing

/// The one file that knows that there is no Apple behind it: a local App Store with the app's own product files.
func withAppStore(storefront: String = "USA", _ body: (LocalAppStore) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tandem-test-\(UUID())")
  defer { remove(folder) }
  let appStore = try await LocalAppStore.open(
    at: folder, bundleID: "com.astrosvitla.app", options: .init(durability: .unsafeNoFlush, seed: 7))
  let problems = try await appStore.setProducts(
    storeKitFile: fixture("AstroSvitla.storekit"), priceTable: fixture("AstroSvitla.prices.json"))
  #expect(problems.isEmpty, "\(problems)")
  try await appStore.addAccount("olha", storefront: storefront)
  try await body(appStore)
}

/// Runs the app on a device, in one language.
func onDevice(
  _ device: String, of appStore: LocalAppStore, language: String = "en", _ app: () async throws -> Void
) async throws {
  let client = try await appStore.launch(account: "olha", device: device, language: language)
  try await AppStore.withClient(client, operation: app)
}

/// Also what the app does not ask for.
func allProducts(of appStore: LocalAppStore) async throws -> [Product] {
  try await appStore.products(for: "olha")
}

private func fixture(_ name: String) throws -> Data { try Data(contentsOf: fixtureURL(name)) }

func fixtureURL(_ name: String) -> URL {
  let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  return tests.appendingPathComponent("AppStorePurchasesTests/Fixtures/\(name)")
}

func remove(_ folder: URL) {
  do {
    try FileManager.default.removeItem(at: folder)
  } catch {
    Issue.record("cannot remove the temporary App Store: \(error)")
  }
}
