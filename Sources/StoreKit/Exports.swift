// Sources written for StoreKit use Foundation's types through it.
@_exported public import AppStorePurchases
@_exported public import Foundation
