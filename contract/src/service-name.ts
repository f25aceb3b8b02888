/** The payment service's name, as customers read it under the lock of the popup. */
export const SERVICE_NAME = 'ServicePay';
