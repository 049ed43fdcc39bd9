import AstroSvitla

/// What is said of purchases, of credits, and by the App Store.
extension Phrases {
  /// Nil for a single credit.
  func discount(_ offer: CreditOffer) -> String? {
    guard offer.discountPercent > 0 else { return nil }
    return say("\(offer.discountPercent) % off", "дешевше на \(offer.discountPercent) %")
  }

  var overdraft: String { say("overdraft", "перевитрата") }

  func creditState(_ state: String) -> String {
    switch state {
    case "consumed": say("spent", "використано")
    case "refunded": say("refunded", "кошти повернено")
    default: say("free", "вільний")
    }
  }

  var consumptionHeader: [String] {
    language == .english
      ? ["request", "date", "area", "chart", "profile", "credit"]
      : ["запит", "дата", "тема", "карта", "профіль", "кредит"]
  }
  var trailHeader: [String] {
    language == .english
      ? ["credit", "state", "date", "area", "chart", "profile", "request"]
      : ["кредит", "стан", "дата", "тема", "карта", "профіль", "запит"]
  }
  var quarantineHeader: [String] {
    language == .english ? ["transaction", "since", "product", "reason"] : ["транзакція", "з", "продукт", "причина"]
  }
  var accountHeader: [String] {
    language == .english
      ? ["account", "storefront", "purchases", "ask to buy", "family", "devices"]
      : ["акаунт", "країна", "покупки", "запит на покупку", "сім’я", "пристрої"]
  }
  var entryHeader: [String] {
    language == .english
      ? ["transaction", "date", "account", "device", "product", "quantity", "price", "state"]
      : ["транзакція", "дата", "акаунт", "пристрій", "продукт", "кількість", "ціна", "стан"]
  }
  func onOff(_ isOn: Bool) -> String { isOn ? say("on", "увімкнено") : say("off", "вимкнено") }

  func faultAdded(_ call: String, _ count: Int) -> String {
    say("\(call) will fail; faults that wait: \(count)", "\(call) дасть збій; збоїв, що чекають: \(count)")
  }
  func faults(_ count: Int) -> String { say("faults that wait: \(count)", "збоїв, що чекають: \(count)") }
  var storeReset: String {
    say(
      "the App Store begins anew, with transaction 0; begin with new device directories, too",
      "App Store починає заново, з транзакції 0; почніть і з новими теками пристроїв")
  }
}
