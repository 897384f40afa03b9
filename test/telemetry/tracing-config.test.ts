import { expect } from 'chai';
import { loadConfig } from '../../src/config.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.internal:4318' };

function errorOf(env: Record<string, string>): string {
  try {
    loadConfig({ ...endpoint, ...env });
  } catch (error) {
    return (error as Error).message;
  }
  return expect.fail(`${JSON.stringify(env)} was accepted`);
}

describe('The variables of OpenTelemetry', () => {
  it('without an endpoint mean nothing, whatever they are', () => {
    expect(loadConfig({ OTEL_TRACES_SAMPLER: 'xray', OTEL_EXPORTER_OTLP_HEADERS: '%' }).tracing).to.equal(
      undefined,
    );
  });

  it('have defaults: one request in a hundred is sampled, and the decision of a caller counts', () => {
    expect(loadConfig(endpoint).tracing).to.deep.equal({
      url: 'http://collector.internal:4318/v1/traces',
      headers: {},
      serviceName: undefined,
      resourceAttributes: {},
      sampler: { ratio: 0.01, isParentBased: true },
    });
  });

  it('are read in the formats that OpenTelemetry defines', () => {
    const { tracing } = loadConfig({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://traces.example.com/otlp/',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20YTpi, x-tenant = one,',
      OTEL_SERVICE_NAME: 'qr',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=production,team=a%2Cb',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.5',
    });
    expect(tracing).to.deep.equal({
      url: 'https://traces.example.com/otlp/v1/traces',
      headers: { authorization: 'Basic YTpi', 'x-tenant': 'one' },
      serviceName: 'qr',
      resourceAttributes: { 'deployment.environment.name': 'production', team: 'a,b' },
      sampler: { ratio: 0.5, isParentBased: false },
    });
  });

  it('name every sampler of the specification that needs no other service', () => {
    const samplers = {
      always_on: { ratio: 1, isParentBased: false },
      always_off: { ratio: 0, isParentBased: false },
      parentbased_always_on: { ratio: 1, isParentBased: true },
      parentbased_always_off: { ratio: 0, isParentBased: true },
      parentbased_traceidratio: { ratio: 0.01, isParentBased: true },
    };
    for (const [name, sampler] of Object.entries(samplers))
      expect(loadConfig({ ...endpoint, OTEL_TRACES_SAMPLER: name }).tracing?.sampler, name).to.deep.equal(
        sampler,
      );
  });

  it('are rejected if they are wrong, without repeating what may be a secret', () => {
    for (const url of ['collector:4318', 'ftp://a.example', 'http://a.example/?key=secret'])
      expect(errorOf({ OTEL_EXPORTER_OTLP_ENDPOINT: url }))
        .to.include('OTEL_EXPORTER_OTLP_ENDPOINT must')
        .and.not.include('secret');
    for (const list of ['secret', 'a=%', 'a=%0d%0ab', '=secret', 'a b=secret'])
      expect(errorOf({ OTEL_EXPORTER_OTLP_HEADERS: list }))
        .to.include('OTEL_EXPORTER_OTLP_HEADERS must')
        .and.not.include('secret');
    expect(errorOf({ OTEL_RESOURCE_ATTRIBUTES: 'team' })).to.include('OTEL_RESOURCE_ATTRIBUTES must');
    expect(errorOf({ OTEL_TRACES_SAMPLER: 'xray' })).to.include(
      'OTEL_TRACES_SAMPLER must be one of always_on,',
    );
    for (const ratio of ['2', '-1', 'half', '1e-3'])
      expect(errorOf({ OTEL_TRACES_SAMPLER_ARG: ratio })).to.include('OTEL_TRACES_SAMPLER_ARG must');
  });
});
