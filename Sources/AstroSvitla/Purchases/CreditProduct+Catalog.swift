public import Foundation

extension CreditProduct {
  /// The products as Xcode describes them: a `.storekit` file, with names in English and Ukrainian.
  public static var storeKitFile: Data { Data(PackageResources.AstroSvitla_storekit) }

  /// What they cost in each storefront, in the format of AppStorePurchases' price table.
  public static var priceTable: Data { Data(PackageResources.AstroSvitla_prices_json) }

  /// Both files, read once. They are part of the program: one that does not parse ends the process.
  static let catalog: AppCatalog = {
    do {
      return try AppCatalog(storeKitFile: storeKitFile, priceTable: priceTable)
    } catch {
      fatalError("The products that are part of this program do not parse: \(error)")
    }
  }()
}
