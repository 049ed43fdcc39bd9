public import Foundation

extension CreditProduct {
  /// The products as Xcode describes them: a `.storekit` file, with names in English and Ukrainian.
  public static var storeKitFile: Data { Data(PackageResources.AstroSvitla_storekit) }

  /// What they cost in each storefront, in the format of AppStorePurchases' price table.
  public static var priceTable: Data { Data(PackageResources.AstroSvitla_prices_json) }
}
