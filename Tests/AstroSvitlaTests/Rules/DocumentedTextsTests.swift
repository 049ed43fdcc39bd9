import AppStorePurchases
import AstroSvitla
import Foundation
import Testing

/// Texts that the documents of the app make a contract, character by character.
@Suite struct DocumentedTextsTests {
  private struct Texts {
    var name: String
    var description: String
  }

  private func texts(_ product: CreditProduct, locale: String) throws -> Texts {
    let catalog = ProductCatalog(
      try StoreKitConfiguration(CreditProduct.storeKitFile), prices: try PriceTable(CreditProduct.priceTable))
    let found = try #require(
      catalog.products(for: [product.rawValue], countryCode: "USA", locale: Locale(identifier: locale)).first)
    return Texts(name: found.displayName, description: found.description)
  }

  @Test func `the single credit is named and described as documented`() throws {
    let english = try texts(.single, locale: "en_US")
    #expect(english.name == "1 Report Credit")
    #expect(
      english.description
        == "Purchase 1 credit to generate an AI-powered astrology report for any life area (Personality, Career, "
        + "Relationships, or Wellness). Each credit allows one report generation for any profile.")
    let ukrainian = try texts(.single, locale: "uk_UA")
    #expect(ukrainian.name == "1 кредит звіту")
    #expect(
      ukrainian.description
        == "Придбайте 1 кредит для створення астрологічного звіту на базі штучного інтелекту для будь-якої сфери життя "
        + "(Особистість, Кар'єра, Стосунки або Здоров'я). Кожен кредит дозволяє згенерувати один звіт для будь-якого "
        + "профілю.")
  }

  @Test(arguments: CreditProduct.allCases) func `each product names its credits`(product: CreditProduct) throws {
    #expect(try texts(product, locale: "en_US").name.hasPrefix("\(product.credits) Report Credit"))
    #expect(try texts(product, locale: "uk_UA").name.hasPrefix("\(product.credits) кредит"))
  }

  @Test func `products have the reference names of the documents`() throws {
    let file = String(decoding: CreditProduct.storeKitFile, as: UTF8.self)
    for name in ["Single Report Credit", "5 Report Credits Pack", "10 Report Credits Pack"] {
      #expect(file.contains("\"referenceName\" : \"\(name)\""))
    }
  }

  @Test(arguments: [
    (PurchaseMessage.Kind.network, "Network error. Check your connection.", "Помилка мережі. Перевірте з'єднання."),
    (.system, "Purchase failed. Please try again.", "Покупка не вдалася. Спробуйте ще раз."),
    (
      .notAvailableInRegion, "This product is not available in your region.",
      "Цей продукт недоступний у вашому регіоні."
    ), (.verificationFailed, "Purchase verification failed.", "Перевірка покупки не вдалася."),
    (.notEnoughCredits, "Not enough credits.", "Недостатньо кредитів."),
  ])
  func `an error begins with its documented sentence`(kind: PurchaseMessage.Kind, english: String, ukrainian: String) {
    #expect(PurchaseMessage(kind).text(in: .english).hasPrefix(english))
    #expect(PurchaseMessage(kind).text(in: .ukrainian).hasPrefix(ukrainian))
  }
}
